import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { migratedColumn } from "../../saver/queries/select-tuple-rows.js";
import { THREAD_TABLES } from "../../saver/queries/select-thread-ids.js";
import { runPerThread, type ThreadNaming, type ThreadsParams } from "../../saver/queries/thread-groups.js";
import {
  fewGivenThreads,
  GIVEN_NS,
  checkpointsOfGiven,
  givenNewestFirst,
  type GivenOrdinal,
  perNamespaceWith,
} from "./per-namespace.js";

/**
 * All namespaces of the given threads that have a row in any table, thread by thread. It is a loose index scan: it jumps from
 * one namespace to the next, and skips the rows in between.
 */
export async function selectNamespaces(
  call: CallContext,
  threadIds: readonly string[],
): Promise<NamespaceKey[]> {
  const rows = await runPerThread(call, namespaces, threadIds);
  return rows.map((row) => ({ threadId: row.thread_id, checkpointNs: row.checkpoint_ns }));
}

interface NamespaceRow {
  thread_id: string;
  checkpoint_ns: string;
}

const namespaces = new StatementFamily<ThreadNaming, ThreadsParams, NamespaceRow>(
  (naming) => (db, parameter) => {
    const threadOf = (row: "given" | "walk") =>
      naming === "parameter" ? parameter("threadId") : sql.ref<string>(`${row}.thread_id`);
    return db
      .withRecursive("walk", (qb) =>
        qb
          .selectFrom(fewGivenThreads(parameter))
          .select(["given.thread_id", firstNamespace(db, threadOf("given"), undefined).as("checkpoint_ns")])
          .unionAll((recursive) =>
            recursive
              .selectFrom("walk")
              .where("walk.checkpoint_ns", "is not", null)
              .select([
                "walk.thread_id",
                firstNamespace(db, threadOf("walk"), sql.ref("walk.checkpoint_ns")).as("checkpoint_ns"),
              ]),
          ),
      )
      .selectFrom("walk")
      .select(["walk.thread_id", "walk.checkpoint_ns"])
      .where("walk.checkpoint_ns", "is not", null)
      .orderBy(sql`walk.thread_id collate "C"`)
      .orderBy(sql`walk.checkpoint_ns collate "C"`)
      .$narrowType<NamespaceRow>();
  },
);

/** The first namespace of a thread in any table, or the first one after `after`; `null` if there is none. */
function firstNamespace(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  after: RawBuilder<string> | undefined,
): RawBuilder<string | null> {
  const first = THREAD_TABLES.map(
    (table) =>
      sql`(${db
        .selectFrom(table)
        .select("checkpoint_ns")
        .where(`${table}.thread_id`, "=", threadId)
        .$if(after !== undefined, (rows) =>
          rows.where(`${table}.checkpoint_ns`, ">", after ?? sql<string>`''`),
        )
        .orderBy("checkpoint_ns")
        .limit(sql.lit(1))})`,
  );
  return sql<
    string | null
  >`(select min(checkpoint_ns) from (${sql.join(first, sql` union all `)}) as next(checkpoint_ns))`;
}

/** The size of a namespace and its newest checkpoints. */
interface NamespaceHeadRow extends GivenOrdinal {
  checkpoints: number;
  newest_id: string | null;
  /** The oldest of the newest checkpoints that are kept; `null` when the namespace has fewer. */
  oldest_kept_id: string | null;
  /** For a subgraph call, the checkpoints of its parent graphs, from the newest checkpoint's metadata, as JSON text. */
  parents: string | null;
}

/**
 * Reads how many checkpoints each namespace has, and which are the newest.
 *
 * @param keepLast - How many of the newest checkpoints are kept; at least one.
 */
export async function selectNamespaceHeads(
  call: CallContext,
  keys: readonly NamespaceKey[],
  keepLast: number,
): Promise<NamespaceHeadRow[]> {
  return (await heads(call, keys, { newerThanKept: keepLast - 1 })).flat();
}

const heads = perNamespaceWith<NamespaceKey, { readonly newerThanKept: number }, NamespaceHeadRow>(
  {},
  ({ db, given, threadId, parameter }) => {
    const newest = (offset: RawBuilder<number>) =>
      givenNewestFirst(db, threadId).select("stored.checkpoint_id").offset(offset).limit(sql.lit(1));
    const parents = givenNewestFirst(db, threadId)
      .select(sql<string | null>`(stored.metadata -> 'parents')::text`.as("parents"))
      .where(sql<boolean>`strpos(${GIVEN_NS}, ':') > 0`)
      .limit(sql.lit(1));
    const count = checkpointsOfGiven(db, threadId).select(sql`count(*)::float8`.as("checkpoints"));
    return given
      .select("given.ordinal")
      .select([
        sql<number>`(${count})`.as("checkpoints"),
        sql<string | null>`(${newest(sql<number>`0`)})`.as("newest_id"),
        sql<string | null>`(${newest(sql<number>`${parameter("newerThanKept")}::bigint`)})`.as(
          "oldest_kept_id",
        ),
        sql<string | null>`(${parents})`.as("parents"),
        migratedColumn(db, threadId).as("migrated"),
      ]);
  },
);
