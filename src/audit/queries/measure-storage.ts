import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { addedColumns, wholeBytesIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** The rows that one statement measures. */
export interface StoragePart {
  /** The threads; `undefined` for all. */
  readonly threadIds: readonly string[] | undefined;
  /** Only this checkpoint of the one thread. */
  readonly checkpoint?: { readonly checkpointNs: string; readonly checkpointId: string } | undefined;
}

const SUMS = [
  "checkpoints",
  "header_bytes",
  "blobs",
  "blob_bytes",
  "uncompressed_bytes",
  "splices",
  "whole_bytes",
  "writes",
  "write_bytes",
] as const;
type Sum = (typeof SUMS)[number];

/** The size of a thread, or of a channel. */
export interface StorageRow extends Readonly<Record<Sum, number>> {
  readonly part: "thread" | "channel";
  /** The thread or the channel. */
  readonly name: string;
}

/**
 * Measures headers, values and writes in one statement that reads each row once: a row for each thread, and one for each channel of all
 * of them. Postgres knows the stored size of a value and of JSONB without reading or decompressing it.
 */
export async function measureStorage(
  call: CallContext,
  { threadIds, checkpoint }: StoragePart,
): Promise<StorageRow[]> {
  const { splices: hasSplices } = await addedColumns(call);
  const naming = threadIds === undefined ? "none" : threadIds.length === 1 ? "one" : "several";
  const shape = { naming, ofCheckpoint: checkpoint !== undefined, hasSplices } as const;
  const { checkpointNs = "", checkpointId = "" } = checkpoint ?? {};
  const params = { threadIds: threadIds ?? [], threadId: threadIds?.[0] ?? "", checkpointNs, checkpointId };
  return runStatement(call, statements.of(shape), params);
}

interface StorageParams {
  readonly threadIds: readonly string[];
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

interface StorageShape {
  /** How many threads the statement names. A statement about one is planned with its index, and names it on nodes (N1). */
  readonly naming: "none" | "one" | "several";
  readonly ofCheckpoint: boolean;
  readonly hasSplices: boolean;
}

const statements = new StatementFamily<StorageShape, StorageParams, StorageRow>(
  (shape) => (db, parameter) =>
    withMeasured(db, parameter, shape)
      .selectFrom("measured")
      .groupBy(["part", "name"])
      .select(["part", "name"])
      .select(SUMS.map((name) => sql<number>`sum(${sql.ref(name)})::float8`.as(name))),
);

interface ValuesRow extends Record<Sum, number> {
  readonly thread_id: string;
  readonly channel: string;
}

type WithMeasured = CheckpointDatabase & { valued: ValuesRow; measured: StorageRow };

/** The CTE `measured`: rows of each thread and each channel, several where more than one table has them. */
function withMeasured(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<StorageParams>,
  { naming, ofCheckpoint, hasSplices }: StorageShape,
): QueryCreator<WithMeasured> {
  const isNamed = naming !== "none";
  const threadId =
    naming === "several" ? sql<string>`any(${parameter("threadIds")}::text[])` : parameter("threadId");
  return (
    db
      // Each table is grouped once, by both: Postgres runs grouping sets in one process, and none on nodes (N4).
      .with("valued", (qb) =>
        qb
          .selectFrom((from) =>
            from
              .selectFrom("checkpoint_blobs")
              .$if(isNamed, (query) => query.where("thread_id", "=", threadId))
              .$if(ofCheckpoint, (query) =>
                query
                  .where("checkpoint_ns", "=", parameter("checkpointNs"))
                  .where(sql`(channel, version)`, "in", sql`${referencedVersions(db, parameter)}`),
              )
              .select(["thread_id", "channel", VALUE_BYTES])
              .select(sql<number>`octet_length(blob)`.as("length"))
              .select(wholeBytesIn("", hasSplices).as("whole"))
              .$if(hasSplices, (query) => query.select(sql<boolean>`base is not null`.as("is_splice")))
              .$if(isNamed, measuredFirst)
              .as("stored"),
          )
          .groupBy(["thread_id", "channel"])
          .select(OWNERS)
          .select(
            sumColumns({
              blobs: sql`count(*)`,
              blob_bytes: sql`sum(bytes)`,
              uncompressed_bytes: sql`coalesce(sum(length), 0)`,
              ...(hasSplices && { splices: sql`count(*) filter (where is_splice)` }),
              whole_bytes: sql`coalesce(sum(whole), 0)`,
            }),
          )
          .unionAll((all) =>
            all
              .selectFrom((from) =>
                from
                  .selectFrom("checkpoint_writes")
                  .$if(isNamed, (query) => query.where("thread_id", "=", threadId))
                  .$if(ofCheckpoint, (query) =>
                    query
                      .where("checkpoint_ns", "=", parameter("checkpointNs"))
                      .where("checkpoint_id", "=", parameter("checkpointId")),
                  )
                  .select(["thread_id", "channel", VALUE_BYTES])
                  .$if(isNamed, measuredFirst)
                  .as("stored"),
              )
              .groupBy(["thread_id", "channel"])
              .select(OWNERS)
              .select(sumColumns({ writes: sql`count(*)`, write_bytes: sql`sum(bytes)` })),
          ),
      )
      .with("measured", (qb) =>
        valuedBy(qb, "thread")
          .unionAll((all) => valuedBy(all, "channel"))
          .unionAll((all) =>
            all
              .selectFrom((from) =>
                from
                  .selectFrom("checkpoints")
                  .$if(isNamed, (query) => query.where("thread_id", "=", threadId))
                  .$if(ofCheckpoint, (query) =>
                    query
                      .where("checkpoint_ns", "=", parameter("checkpointNs"))
                      .where("checkpoint_id", "=", parameter("checkpointId")),
                  )
                  .select("thread_id")
                  .select(sql<number>`pg_column_size(checkpoint) + pg_column_size(metadata)`.as("bytes"))
                  .$if(isNamed, measuredFirst)
                  .as("stored"),
              )
              .groupBy("thread_id")
              .select([
                sql<StorageRow["part"]>`'thread'`.as("part"),
                sql<string>`thread_id collate "C"`.as("name"),
              ])
              .select(sumColumns({ checkpoints: sql`count(*)`, header_bytes: sql`sum(bytes)` })),
          ),
      )
  );
}

/** The channels and versions that the header of the checkpoint has. A damaged header has none. */
function referencedVersions(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<StorageParams>) {
  return db
    .selectFrom("checkpoints as stored")
    .innerJoinLateral(
      (eb) => eachChannelVersion(sql`${eb.ref("stored.checkpoint")} -> 'channel_versions'`),
      (join) => join.onTrue(),
    )
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("stored.checkpoint_id", "=", parameter("checkpointId"))
    .select(["entry.channel", "entry.version"]);
}

function valuedBy(
  db: Pick<QueryCreator<CheckpointDatabase & Pick<WithMeasured, "valued">>, "selectFrom">,
  part: StorageRow["part"],
) {
  return db
    .selectFrom("valued")
    .select(sql<StorageRow["part"]>`${sql.lit(part)}`.as("part"))
    .select(part === "thread" ? "valued.thread_id as name" : "valued.channel as name")
    .select(SUMS.map((name) => sql<number>`${sql.ref(name)}`.as(name)));
}

/**
 * Keeps Postgres from grouping the rows of the table themselves: it would sort values and headers, and write them to temporary files. Where
 * nodes group what they hold, they would send all rows instead (N4), so a statement about all threads does without.
 */
function measuredFirst<Query extends { offset(rows: RawBuilder<number>): Query }>(query: Query): Query {
  return query.offset(sql.lit(0));
}

const VALUE_BYTES = sql<number>`coalesce(${storedSize("blob")}, 0)`.as("bytes");

/** In byte order, in which equal sizes are listed. */
const OWNERS = [
  sql<string>`thread_id collate "C"`.as("thread_id"),
  sql<string>`channel collate "C"`.as("channel"),
] as const;

/** The sums of one table and zero for the other tables, in the order that UNION ALL needs. */
function sumColumns(own: Partial<Record<Sum, RawBuilder<unknown>>>) {
  return SUMS.map((name) => sql<number>`${own[name] ?? sql`0`}::float8`.as(name));
}
