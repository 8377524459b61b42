import { TASKS } from "@langchain/langgraph-checkpoint";
import {
  type Compilable,
  type Expression,
  type QueryCreator,
  type RawBuilder,
  type Selectable,
  sql,
  type SqlBool,
} from "kysely";
import { taskPathIn } from "../../db/added-columns.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { fewRows } from "../../db/kysely/few-rows.js";
import { eachChannelVersion } from "./header-parts.js";
import { CHAIN, chainOfWanted, VALUE_KEY } from "./get-chains.js";
import {
  sentBytes,
  pageColumns,
  type SelectPart,
  type SentPageRow,
  type SentRow,
  tupleColumns,
} from "./sent-row.js";
import type { TupleShape } from "../model/tuple-shape.js";

/** The CTE `matching`: the checkpoints that are read. {@link selectTupleRows} starts from it. */
export type WithMatching = CheckpointDatabase & { matching: CheckpointDatabase["checkpoints"] };

/** Adds the CTE `matching`. Kysely takes the word RECURSIVE, which `chain` needs, from the first CTE. */
export function withMatching(
  db: QueryCreator<CheckpointDatabase>,
  matching: Expression<Selectable<CheckpointDatabase["checkpoints"]>>,
  { followsChains }: TupleShape,
): QueryCreator<WithMatching> {
  return followsChains ? db.withRecursive("matching", () => matching) : db.with("matching", () => matching);
}

/** What a statement around the CTE `matching` is built for. */
export interface TupleQuery {
  readonly shape: TupleShape;
  /** The names of the channels, where the shape restricts them. */
  readonly channels: RawBuilder<readonly string[]>;
  /** The id of the thread, where all checkpoints are of one thread. */
  readonly threadId?: RawBuilder<string> | undefined;
  /** The largest number of bytes of a value that a row contains. */
  readonly pieceBytes: RawBuilder<number>;
}

/**
 * Builds all rows of a tuple from the one checkpoint in the CTE `matching`, in one statement.
 *
 * It reads every table through a lateral subquery with LIMIT or OFFSET, which the planner can't turn into a hash
 * join. In a long thread a hash join would read all blobs to find ten.
 */
export function selectTupleRows(db: QueryCreator<WithMatching>, query: TupleQuery): Compilable<SentRow> {
  return selectParts(db, query, tupleColumns);
}

/**
 * Builds the rows of any number of tuples, like {@link selectTupleRows}. A value that several of them share is sent
 * once.
 */
export function selectPageRows(db: QueryCreator<WithMatching>, query: TupleQuery): Compilable<SentPageRow> {
  return selectParts(db, query, pageColumns);
}

function selectParts(db: QueryCreator<WithMatching>, query: TupleQuery, columns: SelectPart) {
  return withParts(withPage(db), query, { several: columns === pageColumns })
    .selectFrom("page")
    .select((eb) =>
      columns(
        "checkpoint",
        { thread_id: eb.ref("page.thread_id"), checkpoint_ns: eb.ref("page.checkpoint_ns") },
        {
          checkpoint_id: eb.ref("page.checkpoint_id"),
          name: eb.ref("page.checkpoint_id"),
          detail: eb.ref("page.parent_checkpoint_id"),
          content: eb.ref("page.checkpoint"),
          metadata: eb.ref("page.metadata"),
        },
      ),
    )
    .$if(query.shape.values !== "none", (rows) =>
      rows
        .unionAll((qb) =>
          qb.selectFrom("channel_values as value").select((eb) =>
            columns(
              "value",
              { thread_id: eb.ref("value.thread_id"), checkpoint_ns: eb.ref("value.checkpoint_ns") },
              {
                name: eb.ref("value.channel"),
                detail: eb.ref("value.version"),
                type: eb.ref("value.type"),
                blob: eb.ref("value.blob"),
                ...(query.shape.followsChains && { content: sql.ref<string | null>("value.base") }),
              },
            ),
          ),
        )
        .unionAll((qb) =>
          qb.selectFrom("pending_sends as send").select((eb) =>
            columns(
              "send",
              { thread_id: eb.ref("send.thread_id"), checkpoint_ns: eb.ref("send.checkpoint_ns") },
              {
                checkpoint_id: eb.ref("send.checkpoint_id"),
                name: eb.ref("send.channel"),
                detail: eb.ref("send.task_id"),
                content: eb.ref("send.task_path"),
                type: eb.ref("send.type"),
                idx: eb.ref("send.idx"),
                blob: eb.ref("send.blob"),
              },
            ),
          ),
        ),
    )
    .$if(query.shape.writes, (rows) =>
      rows.unionAll((qb) =>
        qb.selectFrom("pending_writes as write").select((eb) =>
          columns(
            "write",
            { thread_id: eb.ref("write.thread_id"), checkpoint_ns: eb.ref("write.checkpoint_ns") },
            {
              checkpoint_id: eb.ref("write.checkpoint_id"),
              name: eb.ref("write.channel"),
              detail: eb.ref("write.task_id"),
              content: eb.ref("write.task_path"),
              type: eb.ref("write.type"),
              idx: eb.ref("write.idx"),
              blob: eb.ref("write.blob"),
            },
          ),
        ),
      ),
    );
}

interface PageCheckpoint {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /** JSON text. */
  checkpoint: string;
  /** JSON text. */
  metadata: string;
  channel_versions: unknown;
  /** Whether its sends are among the writes of its parent. */
  is_before_version_4: boolean;
}

type WithPage = WithMatching & { page: PageCheckpoint };

/** The parts of each header, extracted once. A long header is compressed, and each access decompresses it again. */
function withPage(db: QueryCreator<WithMatching>): QueryCreator<WithPage> {
  return db.with("page", (qb) =>
    qb
      .selectFrom("matching")
      .select(["thread_id", "checkpoint_ns", "checkpoint_id", "parent_checkpoint_id"])
      .select((eb) => {
        const checkpoint = eb.ref("matching.checkpoint");
        return [
          asText(checkpoint).as("checkpoint"),
          asText(eb.ref("matching.metadata")).as("metadata"),
          sql`${checkpoint} -> 'channel_versions'`.as("channel_versions"),
          sql<boolean>`${checkpoint} -> 'v' < '4'::jsonb`.as("is_before_version_4"),
        ];
      }),
  );
}

/**
 * The CTEs of the parts. Postgres drops those that the shape does not use.
 *
 * Writes, sends and the values of chains compare the thread with that of the page, not with the parameter, unless the shape
 * names the thread. For a known thread the planner expects less than for any thread, and would therefore plan every read again.
 */
function withParts(
  db: QueryCreator<WithPage>,
  { shape, channels, threadId, pieceBytes }: TupleQuery,
  { several }: { readonly several: boolean },
) {
  const { followsChains, isOnNodes, hasTaskPath } = shape;
  const taskPath = taskPathIn("stored.", hasTaskPath).as("task_path");
  const known = isOnNodes ? threadId : undefined;
  const ofChain = followsChains ? known : threadId;
  const bytes = sentBytes("stored", pieceBytes, isOnNodes);
  const entries = (qb: QueryCreator<WithPage>) =>
    qb
      .selectFrom("page")
      .innerJoinLateral(
        (eb) => eachChannelVersion(eb.ref("page.channel_versions")),
        (join) => join.onTrue(),
      )
      .select(["page.thread_id", "page.checkpoint_ns", "entry.channel", "entry.version"])
      .where((eb) => isWanted(eb.ref("entry.channel"), shape, channels));
  const few = (qb: QueryCreator<WithPage>) =>
    fewRows(qb, (several ? entries(qb).distinct() : entries(qb)).as("row"), VALUE_KEY);
  // Without splices, the values that are wanted are all of the chain.
  const values = followsChains
    ? db.with("wanted", few).withRecursive(CHAIN, (qb) => chainOfWanted(qb, known))
    : db.with("chain", (qb) => (several ? few(qb) : entries(qb)));
  return values
    .with("channel_values", (qb) =>
      qb
        .selectFrom("chain as wanted")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as stored")
              .select(["stored.type", bytes.as("blob")])
              .$if(followsChains, (found) => found.select("stored.base"))
              .where("stored.thread_id", "=", ofChain ?? eb.ref("wanted.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "wanted.checkpoint_ns")
              .whereRef("stored.channel", "=", "wanted.channel")
              .whereRef("stored.version", "=", "wanted.version")
              .limit(sql.lit(1))
              .as("found"),
          (join) => join.onTrue(),
        )
        .selectAll("wanted")
        .select(["found.type", "found.blob"])
        .$if(followsChains, (found) => found.select("found.base"))
        .where("found.type", "<>", sql.lit("empty")),
    )
    .with("pending_writes", (qb) =>
      qb
        .selectFrom("page")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_writes as stored")
              .select(["stored.task_id", taskPath, "stored.idx"])
              .select(["stored.channel", "stored.type", bytes.as("blob")])
              .where("stored.thread_id", "=", known ?? eb.ref("page.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "page.checkpoint_ns")
              .whereRef("stored.checkpoint_id", "=", "page.checkpoint_id")
              .offset(sql.lit(0))
              .as("found"),
          (join) => join.onTrue(),
        )
        .selectAll("found")
        .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id"]),
    )
    .with("pending_sends", (qb) =>
      qb
        .selectFrom("page")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_writes as stored")
              .select(["stored.task_id", taskPath, "stored.idx"])
              .select(["stored.channel", "stored.type", bytes.as("blob")])
              .where("stored.thread_id", "=", known ?? eb.ref("page.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "page.checkpoint_ns")
              .whereRef("stored.checkpoint_id", "=", "page.parent_checkpoint_id")
              .where("stored.channel", "=", sql.lit(TASKS))
              .where(eb.ref("page.is_before_version_4"))
              .where(isWanted(sql.lit(TASKS), shape, channels))
              .offset(sql.lit(0))
              .as("found"),
          (join) => join.onTrue(),
        )
        .selectAll("found")
        .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id"]),
    );
}

function isWanted(
  channel: Expression<string>,
  { values }: TupleShape,
  channels: TupleQuery["channels"],
): Expression<SqlBool> {
  return values === "named" ? sql<SqlBool>`${channel} = any (${channels}::text[])` : sql.lit(true);
}

function asText(json: Expression<unknown>): RawBuilder<string> {
  return sql<string>`${json}::text`;
}

/**
 * Returns NULL, or fails where the tables are those of the official JavaScript saver and have not been migrated.
 * Statements that select rows for deletion include it, because the saver deletes nothing that it can't read or
 * export.
 *
 * @param threadId - The thread of a statement about one: the statement then names it for each table (N1).
 */
export function migratedColumn(
  db: QueryCreator<CheckpointDatabase>,
  threadId?: Expression<string>,
): RawBuilder<string | null> {
  const none = db.selectFrom("checkpoint_writes").select("task_path").limit(sql.lit(0));
  return sql<string | null>`(${threadId === undefined ? none : none.where("thread_id", "=", threadId)})`;
}
