import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** The bytes that successive checkpoints have added. */
export interface StepBytesRow {
  /** The last of the checkpoints; `null` for what no checkpoint refers to. */
  readonly checkpoint_id: string | null;
  readonly checkpoints: number;
  /** The super-step of the last checkpoint, as text. */
  readonly step: string | null;
  readonly header_bytes: number;
  readonly value_bytes: number;
  readonly write_bytes: number;
}

/**
 * Sums the bytes of a namespace by the checkpoint that has added them, the oldest first. A value counts for the first checkpoint that has
 * its version, and a write for its own. It reads the headers, which name the versions, but neither values nor writes: Postgres knows
 * their sizes.
 *
 * @param parts - The most entries. Successive checkpoints of a longer history share one.
 */
export function stepBytes(call: CallContext, key: NamespaceKey, parts: number): Promise<StepBytesRow[]> {
  return runStatement(call, statement, { ...key, parts });
}

interface StepParams extends NamespaceKey {
  readonly parts: number;
}

// It groups rows of all tables instead of joining them: for a table without statistics, the planner would compare each value with each
// version.
const statement = new Statement<StepParams, StepBytesRow>((db, parameter) =>
  db
    .with("version", () => namedVersions(db, parameter).unionAll(storedVersions(db, parameter)))
    .with("added", (qb) =>
      qb
        .selectFrom("version")
        .groupBy(["version.channel", "version.version"])
        .select([
          sql<string>`min(version.checkpoint_id)`.as("checkpoint_id"),
          sql<boolean>`false`.as("is_own"),
        ])
        .select([ZERO.as("header_bytes"), sql<number>`sum(version.bytes)`.as("value_bytes")])
        .select(ZERO.as("write_bytes"))
        .unionAll(headersOf(db, parameter))
        .unionAll(writesOf(db, parameter)),
    )
    .with("point", (qb) =>
      qb
        .selectFrom("added")
        .groupBy("added.checkpoint_id")
        .select(["added.checkpoint_id", sql<boolean>`bool_or(added.is_own)`.as("is_own")])
        .select(SUMS.map((name) => sql<number>`sum(${sql.ref(name)})`.as(name))),
    )
    .with("part", (qb) =>
      qb
        .selectFrom("point")
        .selectAll()
        .select(
          sql<number | null>`case when is_own
            then ntile(${parameter("parts")}::integer) over (partition by is_own order by checkpoint_id) end`.as(
            "part",
          ),
        ),
    )
    .with("summed", (qb) =>
      qb
        .selectFrom("part")
        .groupBy("part.part")
        .select([
          sql<string | null>`max(part.checkpoint_id) filter (where is_own)`.as("checkpoint_id"),
          sql<number>`(count(*) filter (where is_own))::float8`.as("checkpoints"),
        ])
        .select(SUMS.map((name) => sql<number>`sum(${sql.ref(name)})::float8`.as(name))),
    )
    .selectFrom("summed")
    .leftJoin("checkpoints as last", (join) =>
      join
        .onRef("last.checkpoint_id", "=", "summed.checkpoint_id")
        .on("last.thread_id", "=", parameter("threadId"))
        .on("last.checkpoint_ns", "=", parameter("checkpointNs")),
    )
    .select(["summed.checkpoint_id", "summed.checkpoints"])
    .select(["summed.header_bytes", "summed.value_bytes", "summed.write_bytes"])
    .select(sql<string | null>`last.metadata ->> 'step'`.as("step"))
    .orderBy("summed.checkpoint_id", (order) => order.asc().nullsLast()),
);

const SUMS = ["header_bytes", "value_bytes", "write_bytes"] as const;
const ZERO = sql<number>`0::float8`;

type Db = QueryCreator<LibraryDatabase>;
type Params = Parameter<StepParams>;

/** A text that is grouped with texts of other tables, so that all of them need the same collation. */
function byBytes(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} collate "C"`;
}

/** The versions that each checkpoint names. */
function namedVersions(db: Db, parameter: Params) {
  // Extracted once per header: Postgres decompresses a long header again for each access.
  const headers: RawBuilder<{ checkpoint_id: string; versions: unknown }> = sql`(${db
    .selectFrom("checkpoints")
    .select(["checkpoint_id", sql`checkpoint -> 'channel_versions'`.as("versions")])
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .offset(sql.lit(0))})`;
  return db
    .selectFrom(headers.as("header"))
    .innerJoinLateral(eachChannelVersion(sql.ref("header.versions")), (join) => join.onTrue())
    .select([byBytes("entry.channel").as("channel"), byBytes("entry.version").as("version")])
    .select([sql<string | null>`header.checkpoint_id collate "C"`.as("checkpoint_id"), ZERO.as("bytes")]);
}

/** The stored values. */
function storedVersions(db: Db, parameter: Params) {
  return db
    .selectFrom("checkpoint_blobs as stored")
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .select([byBytes("stored.channel").as("channel"), byBytes("stored.version").as("version")])
    .select([sql<string | null>`null::text`.as("checkpoint_id"), STORED_BYTES.as("bytes")]);
}

const STORED_BYTES = sql<number>`coalesce(${storedSize("stored.blob")}, 0)::float8`;

function headersOf(db: Db, parameter: Params) {
  return db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .select([byBytes("checkpoint_id").as("checkpoint_id"), sql<boolean>`true`.as("is_own")])
    .select([
      sql<number>`(coalesce(${storedSize("checkpoint")}, 0) + coalesce(${storedSize("metadata")}, 0))::float8`.as(
        "header_bytes",
      ),
      ...[ZERO.as("value_bytes"), ZERO.as("write_bytes")],
    ]);
}

function writesOf(db: Db, parameter: Params) {
  return db
    .selectFrom("checkpoint_writes as stored")
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .select([byBytes("stored.checkpoint_id").as("checkpoint_id"), sql<boolean>`false`.as("is_own")])
    .select([ZERO.as("header_bytes"), ZERO.as("value_bytes"), STORED_BYTES.as("write_bytes")]);
}
