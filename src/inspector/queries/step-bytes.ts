import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";
import { storedSize } from "../../saver/queries/stored-size.js";

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

const statement = /* @__PURE__ */ new Statement<StepParams, StepBytesRow>((db, parameter) =>
  db
    .with("own", (qb) => pointsOf(qb, parameter))
    .with("introduced", (qb) => introductions(qb, parameter))
    .with("added", (qb) =>
      qb
        .selectFrom("own")
        .select(["own.checkpoint_id", "own.header_bytes"])
        .select([ZERO.as("value_bytes"), ZERO.as("write_bytes")])
        .unionAll(valuesOf(qb, parameter))
        .unionAll(writesOf(db, parameter)),
    )
    .with("summed", (qb) =>
      qb
        .selectFrom("added")
        .leftJoin("own", "own.checkpoint_id", "added.checkpoint_id")
        .groupBy("own.part")
        .select([
          sql<string | null>`max(own.checkpoint_id collate "C")`.as("checkpoint_id"),
          sql<number>`count(distinct own.checkpoint_id)::float8`.as("checkpoints"),
          total("header_bytes"),
          total("value_bytes"),
          total("write_bytes"),
        ]),
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
    .orderBy(sql`summed.checkpoint_id collate "C"`, (order) => order.asc().nullsLast()),
);

const ZERO = /* @__PURE__ */ sql<number>`0::float8`;

type Bytes = "header_bytes" | "value_bytes" | "write_bytes";

function total(name: Bytes) {
  return sql<number>`coalesce(sum(${sql.ref(`added.${name}`)}), 0)::float8`.as(name);
}

type Db = QueryCreator<LibraryDatabase>;
type Params = Parameter<StepParams>;

/** The checkpoints of the namespace, with the entry that each belongs to. */
function pointsOf(db: Db, parameter: Params) {
  return db
    .selectFrom("checkpoints")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .select("checkpoint_id")
    .select([
      sql<number>`ntile(${parameter("parts")}::integer) over (order by checkpoint_id collate "C")`.as("part"),
      sql<number>`(coalesce(${storedSize("checkpoint")}, 0) + coalesce(${storedSize("metadata")}, 0))::float8`.as(
        "header_bytes",
      ),
    ]);
}

/** The first checkpoint of each version of a channel. */
function introductions(db: Db, parameter: Params) {
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
    .groupBy(["entry.channel", "entry.version"])
    .select(["entry.channel", "entry.version"])
    .select(sql<string>`min(header.checkpoint_id collate "C")`.as("checkpoint_id"));
}

interface Earlier {
  readonly own: { checkpoint_id: string; part: number; header_bytes: number };
  readonly introduced: { channel: string; version: string; checkpoint_id: string };
}
type WithIntroduced = LibraryDatabase & Pick<Earlier, "own"> & Pick<Earlier, "introduced">;

/** The values, with the checkpoint that introduces each. */
function valuesOf(db: QueryCreator<WithIntroduced>, parameter: Params) {
  return db
    .selectFrom("checkpoint_blobs as stored")
    .leftJoin("introduced", (join) =>
      join
        .onRef("introduced.channel", "=", "stored.channel")
        .onRef("introduced.version", "=", "stored.version"),
    )
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .groupBy("introduced.checkpoint_id")
    .select(sql<string>`introduced.checkpoint_id`.as("checkpoint_id"))
    .select([ZERO.as("header_bytes"), storedBytes("value_bytes"), ZERO.as("write_bytes")]);
}

function writesOf(db: Db, parameter: Params) {
  return db
    .selectFrom("checkpoint_writes as stored")
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .groupBy("stored.checkpoint_id")
    .select("stored.checkpoint_id")
    .select([ZERO.as("header_bytes"), ZERO.as("value_bytes"), storedBytes("write_bytes")]);
}

function storedBytes(name: Bytes) {
  return sql<number>`sum(coalesce(${storedSize("stored.blob")}, 0))::float8`.as(name);
}
