import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { storedSize } from "../../saver/queries/stored-size.js";
import { GIVEN_NS, GIVEN_THREAD, givenCheckpoints, givenList } from "./given-namespaces.js";

/** The checkpoints whose references count: `all`, or `others` than those in the list `ids` of the given namespace. */
export type Referring = "all" | "others";

/**
 * The values of the given namespace that no checkpoint references. The query sorts and groups instead of joining, so that it
 * never becomes a nested loop, however wrong the statistics are.
 */
export function unreferencedBlobs(db: QueryCreator<CheckpointDatabase>, referring: Referring) {
  return db
    .selectFrom(
      db
        .selectFrom("checkpoint_blobs as stored")
        .select(["stored.channel", "stored.version"])
        .select([storedSize("stored.blob").as("bytes"), sql<boolean>`false`.as("is_reference")])
        .where("stored.thread_id", "=", GIVEN_THREAD)
        .where("stored.checkpoint_ns", "=", GIVEN_NS)
        .unionAll(
          selectReferences(
            db,
            referring === "all" ? versionsOfNamespace(db, GIVEN_THREAD, GIVEN_NS) : versionsOfOthers(db),
          )
            .select(["entry.channel", "entry.version"])
            .select([sql<number | null>`null::integer`.as("bytes"), sql<boolean>`true`.as("is_reference")]),
        )
        .as("each"),
    )
    .select(["each.channel", "each.version", sql<number | null>`max(each.bytes)`.as("bytes")])
    .groupBy(["each.channel", "each.version"])
    .having(sql<SqlBool>`not bool_or(each.is_reference)`);
}

/** The values that the checkpoints of a namespace reference. */
export function referencedBlobs(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
) {
  return selectReferences(db, versionsOfNamespace(db, threadId, checkpointNs)).select([
    "entry.channel",
    "entry.version",
  ]);
}

type Versions = RawBuilder<{ versions: unknown }>;

function selectReferences(db: QueryCreator<CheckpointDatabase>, headers: Versions) {
  return db.selectFrom(headers.as<"header">(sql`header(versions)`)).innerJoinLateral(
    sql<{ channel: string; version: string }>`jsonb_each_text(
        case when jsonb_typeof(header.versions) = 'object' then header.versions end
      )`.as<"entry">(sql`entry(channel, version)`),
    (join) => join.onTrue(),
  );
}

// Extracted once per header: Postgres decompresses a long header again for each access.
const VERSIONS = sql`checkpoint -> 'channel_versions'`;

function versionsOfNamespace(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  checkpointNs: RawBuilder<string>,
): Versions {
  const all = db
    .selectFrom("checkpoints")
    .select(VERSIONS.as("versions"))
    .where("thread_id", "=", threadId)
    .where("checkpoint_ns", "=", checkpointNs)
    .offset(sql.lit(0));
  return sql`(${all})`;
}

/** The versions in the headers of the given namespace, except those of the checkpoints in its list `ids`. */
function versionsOfOthers(db: QueryCreator<CheckpointDatabase>): Versions {
  const ids = givenCheckpoints(db)
    .select("stored.checkpoint_id")
    .except(
      db
        .selectFrom(sql<{ id: string }>`unnest(${givenList("ids")})`.as<"named">(sql`named(id)`))
        .select("named.id as checkpoint_id"),
    );
  const others = db
    .selectFrom(ids.as("other"))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints")
          .select(VERSIONS.as("versions"))
          .where("thread_id", "=", GIVEN_THREAD)
          .where("checkpoint_ns", "=", GIVEN_NS)
          .whereRef("checkpoints.checkpoint_id", "=", "other.checkpoint_id")
          .limit(sql.lit(1))
          .as("stored"),
      (join) => join.onTrue(),
    )
    .select("stored.versions");
  return sql`(${others})`;
}
