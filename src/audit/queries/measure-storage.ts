import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { addedColumns, wholeBytesIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** The rows to measure. */
export interface StorageScope {
  /** `undefined` measures the whole database. */
  readonly threadId: string | undefined;
  /** Only this checkpoint of the thread. */
  readonly checkpoint: { readonly checkpointNs: string; readonly checkpointId: string } | undefined;
  /** The most threads and channels to list. */
  readonly limit: number;
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

/** The size of everything, of a thread, or of a channel. */
export interface StorageRow extends Readonly<Record<Sum, number>> {
  readonly part: "total" | "thread" | "channel";
  /** The thread or the channel; `null` for the total. */
  readonly name: string | null;
  /** The number of threads in the total; 1 in other rows. */
  readonly threads: number;
}

/**
 * Measures headers, values and writes in one statement that reads each table once. Postgres knows the stored size of a value and
 * of JSONB without reading or decompressing it.
 */
export async function measureStorage(
  call: CallContext,
  { threadId, checkpoint, limit }: StorageScope,
): Promise<StorageRow[]> {
  const { splices: hasSplices } = await addedColumns(call);
  const ofThread = threadId !== undefined;
  const isFenced = ofThread || !(await placementOf(call)).isOnNodes;
  const shape = { ofThread, ofCheckpoint: checkpoint !== undefined, hasSplices, isFenced };
  const { checkpointNs = "", checkpointId = "" } = checkpoint ?? {};
  const params = { threadId: threadId ?? "", checkpointNs, checkpointId, limit };
  return runStatement(call, statements.of(shape), params);
}

interface StorageParams {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId: string;
  readonly limit: number;
}

interface StorageShape {
  readonly ofThread: boolean;
  readonly ofCheckpoint: boolean;
  readonly hasSplices: boolean;
  /**
   * Whether rows are measured before they are grouped (`OFFSET 0`), so that Postgres sorts lengths, and no values and headers, which
   * it would write to temporary files. Nodes that group what they hold would send all rows instead (N4).
   */
  readonly isFenced: boolean;
}

const statements = new StatementFamily<StorageShape, StorageParams, StorageRow>(
  (shape) => (db, parameter) => {
    const sizes = withSizes(db, parameter, shape);
    return (
      sizes
        .selectFrom("sizes")
        .select([sql<StorageRow["part"]>`'total'`.as("part"), sql<string | null>`null::text`.as("name")])
        .select(sql<number>`count(*)::float8`.as("threads"))
        .select(SUMS.map((name) => sql<number>`coalesce(sum(${sql.ref(name)}), 0)::float8`.as(name)))
        // The rows of channels count the same bytes again.
        .where("part", "=", "thread")
        .unionAll((qb) => largest(qb, "thread", parameter("limit")))
        .unionAll((qb) => largest(qb, "channel", parameter("limit")))
    );
  },
);

interface SizeRow extends Record<Sum, number> {
  readonly part: "thread" | "channel";
  readonly name: string;
}

interface ValuesRow extends Record<Sum, number> {
  readonly thread_id: string;
  readonly channel: string;
}

type WithSizes = CheckpointDatabase & { valued: ValuesRow; measured: SizeRow; sizes: SizeRow };

/** The CTE `sizes`: a row for each thread and one for each channel. */
function withSizes(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<StorageParams>,
  { ofThread, ofCheckpoint, hasSplices, isFenced }: StorageShape,
): QueryCreator<WithSizes> {
  return (
    db
      // Each table is grouped once, by both: Postgres runs grouping sets in one process, and none on nodes (N4).
      .with("valued", (qb) =>
        qb
          .selectFrom((from) =>
            from
              .selectFrom("checkpoint_blobs")
              .$if(ofThread, (query) => query.where("thread_id", "=", parameter("threadId")))
              .$if(ofCheckpoint, (query) =>
                query
                  .where("checkpoint_ns", "=", parameter("checkpointNs"))
                  .where(sql`(channel, version)`, "in", sql`${referencedVersions(db, parameter)}`),
              )
              .select(["thread_id", "channel", VALUE_BYTES])
              .select(sql<number>`octet_length(blob)`.as("length"))
              .select(wholeBytesIn("", hasSplices).as("whole"))
              .$if(hasSplices, (query) => query.select(sql<boolean>`base is not null`.as("is_splice")))
              .$if(isFenced, (query) => query.offset(sql.lit(0)))
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
                  .$if(ofThread, (query) => query.where("thread_id", "=", parameter("threadId")))
                  .$if(ofCheckpoint, (query) =>
                    query
                      .where("checkpoint_ns", "=", parameter("checkpointNs"))
                      .where("checkpoint_id", "=", parameter("checkpointId")),
                  )
                  .select(["thread_id", "channel", VALUE_BYTES])
                  .$if(isFenced, (query) => query.offset(sql.lit(0)))
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
                  .$if(ofThread, (query) => query.where("thread_id", "=", parameter("threadId")))
                  .$if(ofCheckpoint, (query) =>
                    query
                      .where("checkpoint_ns", "=", parameter("checkpointNs"))
                      .where("checkpoint_id", "=", parameter("checkpointId")),
                  )
                  .select("thread_id")
                  .select(sql<number>`pg_column_size(checkpoint) + pg_column_size(metadata)`.as("bytes"))
                  .$if(isFenced, (query) => query.offset(sql.lit(0)))
                  .as("stored"),
              )
              .groupBy("thread_id")
              .select([
                sql<SizeRow["part"]>`'thread'`.as("part"),
                sql<string>`thread_id collate "C"`.as("name"),
              ])
              .select(sumColumns({ checkpoints: sql`count(*)`, header_bytes: sql`sum(bytes)` })),
          ),
      )
      .with("sizes", (qb) =>
        qb
          .selectFrom("measured")
          .groupBy(["part", "name"])
          .select(["part", "name"])
          .select(SUMS.map((name) => sql<number>`sum(${sql.ref(name)})`.as(name))),
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
  db: Pick<QueryCreator<CheckpointDatabase & Pick<WithSizes, "valued">>, "selectFrom">,
  part: SizeRow["part"],
) {
  return db
    .selectFrom("valued")
    .select(sql<SizeRow["part"]>`${sql.lit(part)}`.as("part"))
    .select(part === "thread" ? "valued.thread_id as name" : "valued.channel as name")
    .select(SUMS.map((name) => sql<number>`${sql.ref(name)}`.as(name)));
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

function largest(
  db: Pick<QueryCreator<WithSizes>, "selectFrom">,
  part: SizeRow["part"],
  limit: RawBuilder<number>,
) {
  const ranked = db
    .selectFrom("sizes")
    .selectAll()
    .where("part", "=", part)
    .orderBy(sql`header_bytes + blob_bytes + write_bytes`, "desc")
    .orderBy("name")
    .limit(limit);
  return db
    .selectFrom(ranked.as("ranked"))
    .select([sql<StorageRow["part"]>`part`.as("part"), sql<string | null>`name`.as("name")])
    .select(sql<number>`1::float8`.as("threads"))
    .select(SUMS.map((name) => sql<number>`${sql.ref(name)}`.as(name)));
}
