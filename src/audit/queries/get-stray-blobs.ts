import { type QueryCreator, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { addedColumns } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { CHAIN, chainOfWanted } from "../../saver/queries/get-chains.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** A range of threads in the order of the index. */
export interface ThreadRange {
  /** The exclusive lower bound; `undefined` begins with the first thread. */
  readonly after: string | undefined;
  /** The inclusive upper bound; `undefined` ends with the last thread. */
  readonly upTo: string | undefined;
}

/** A blob that no header of its namespace references, nor needs for a splice. */
export interface StrayBlobRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

/** Finds the blobs of some threads that no header needs. One statement reads all of their headers once, and twice with splices. */
export async function getStrayBlobs(call: CallContext, range: ThreadRange | string): Promise<StrayBlobRow[]> {
  const { splices: hasSplices } = await addedColumns(call);
  if (typeof range === "string") {
    return runStatement(call, statements.of({ bounds: ["= upTo"], hasSplices }), { after: "", upTo: range });
  }
  const { after, upTo } = range;
  const bounds = [
    ...(after === undefined ? [] : (["> after"] as const)),
    ...(upTo === undefined ? [] : (["<= upTo"] as const)),
  ];
  return runStatement(call, statements.of({ bounds, hasSplices }), { after: after ?? "", upTo: upTo ?? "" });
}

type Bound = "= upTo" | "> after" | "<= upTo";

const statements = new StatementFamily<
  { readonly bounds: readonly Bound[]; readonly hasSplices: boolean },
  { readonly after: string; readonly upTo: string },
  StrayBlobRow
>(({ bounds, hasSplices }) => (db, parameter) => {
  const isInRange = (row: "header" | "stored") => {
    const thread = sql.ref(`${row}.thread_id`);
    const conditions = {
      "= upTo": sql`${thread} = ${parameter("upTo")}`,
      "> after": sql`${thread} > ${parameter("after")}`,
      "<= upTo": sql`${thread} <= ${parameter("upTo")}`,
    };
    return sql<SqlBool>`true ${sql.join(
      bounds.map((bound) => sql`and ${conditions[bound]}`),
      sql` `,
    )}`;
  };
  const columns = (owner: string, names: string) => [
    sql<string>`${sql.ref(`${owner}.thread_id`)} collate "C"`.as("thread_id"),
    sql<string>`${sql.ref(`${owner}.checkpoint_ns`)} collate "C"`.as("checkpoint_ns"),
    sql<string>`${sql.ref(`${names}.channel`)} collate "C"`.as("channel"),
    sql<string>`${sql.ref(`${names}.version`)} collate "C"`.as("version"),
  ];
  const references = db
    .selectFrom("checkpoints as header")
    .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .where(isInRange("header"));
  // EXCEPT sorts or hashes. The planner may estimate few rows for a join, and then compare all rows with each other.
  if (!hasSplices) {
    return db
      .selectFrom("checkpoint_blobs as stored")
      .where(isInRange("stored"))
      .select(columns("stored", "stored"))
      .except(references.select(columns("header", "entry")));
  }
  return withChain(db, {
    threadId: bounds.includes("= upTo") ? parameter("upTo") : undefined,
    splices: db.selectFrom("checkpoint_blobs as stored").select(KEY).where(isInRange("stored")),
    references: references.select([
      "header.thread_id",
      "header.checkpoint_ns",
      "entry.channel",
      "entry.version",
    ]),
  })
    .selectFrom("checkpoint_blobs as stored")
    .where(isInRange("stored"))
    .select(columns("stored", "stored"))
    .except(references.select(columns("header", "entry")))
    .except((others) => others.selectFrom("chain").select(columns("chain", "chain")));
});

const KEY = ["stored.thread_id", "stored.checkpoint_ns", "stored.channel", "stored.version"] as const;

interface Sources {
  /** The thread, if it is one. */
  readonly threadId: RawBuilder<string> | undefined;
  /** Rows of `checkpoint_blobs`. Only the splices among them count. */
  readonly splices: SelectQueryBuilder<CheckpointDatabase & Stored, "stored", StrayBlobRow>;
  readonly references: SelectQueryBuilder<CheckpointDatabase, never, StrayBlobRow>;
}

interface Stored {
  stored: CheckpointDatabase["checkpoint_blobs"];
}

/**
 * The CTE `chain`: the splices that headers reference, and the values that they are made of (C13). Where there are no splices,
 * Postgres does not read the headers for it.
 */
function withChain(db: QueryCreator<CheckpointDatabase>, { threadId, splices, references }: Sources) {
  return db
    .withRecursive(
      (cte) => cte("splice").materialized(),
      () => splices.where("stored.base", "is not", null),
    )
    .withRecursive("wanted", (qb) =>
      qb
        .selectFrom("splice")
        .selectAll()
        .intersect(references.where(sql<SqlBool>`exists (select from splice)`)),
    )
    .withRecursive(CHAIN, (qb) => chainOfWanted(qb, threadId));
}
