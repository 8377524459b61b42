import { type QueryCreator, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import { GIVEN_NS, checkpointsOfGiven, givenList } from "./per-namespace.js";

/** The checkpoints whose references count: `all`, or `others` than those in the list `ids` of the given namespace. */
export type Referring = "all" | "others";

/**
 * The values of the given namespace that no checkpoint references, and that no referenced splice needs (C13), each with the value
 * that it is itself a splice of.
 */
export function unreferencedBlobs(
  db: QueryCreator<CheckpointDatabase>,
  threadId: RawBuilder<string>,
  referring: Referring,
) {
  const stored = db
    .selectFrom("checkpoint_blobs as stored")
    .select(["stored.channel", "stored.version", "stored.base"])
    .select([storedSize("stored.blob").as("bytes"), sql<boolean>`true`.as("is_candidate")])
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", GIVEN_NS);
  const versions =
    referring === "all" ? versionsOfNamespace(db, threadId, GIVEN_NS) : versionsOfOthers(db, threadId);
  return withUnneeded(db, { threadId, checkpointNs: GIVEN_NS, values: stored, versions })
    .selectFrom("unneeded")
    .select(["unneeded.channel", "unneeded.version", "unneeded.base", "unneeded.bytes"])
    .select(ARE_ALL_READABLE.as("is_readable"));
}

/** The `channel_versions` that stand for those of a header that is damaged: one channel without a version. */
const UNREADABLE = sql`'{"": null}'::jsonb`;

/**
 * Whether all headers that {@link withUnneeded} has read name their versions. Nobody knows what the others reference, so no value of
 * their namespace is proven to be an orphan. Postgres evaluates it once for a namespace.
 */
export const ARE_ALL_READABLE: RawBuilder<boolean> = sql<boolean>`not exists (
  select from considered where considered.version is null
    or left(considered.version, 1) in ('{', '[') or considered.version in ('true', 'false')
)`;

/** A value that is a candidate for deletion, or a splice, which may need a candidate. */
interface ConsideredValue {
  channel: string;
  version: string;
  base: string | null;
  bytes: number | null;
  is_candidate: boolean;
}

/** The values of a namespace that are considered. Each may occur several times. */
interface Considered {
  readonly threadId: RawBuilder<string>;
  readonly checkpointNs: RawBuilder<string>;
  readonly values: SelectQueryBuilder<CheckpointDatabase, never, ConsideredValue>;
  readonly versions: Versions;
}

/**
 * The CTE `unneeded`: the candidates that no checkpoint references, and that no splice needs, directly or through other splices,
 * unless that splice is such a candidate too.
 *
 * It sorts and groups instead of joining, so that it never becomes a nested loop, however wrong the statistics are. Where no
 * value is a splice, nothing is looked up for `needed`.
 */
export function withUnneeded(
  db: QueryCreator<CheckpointDatabase>,
  { threadId, checkpointNs, values, versions }: Considered,
) {
  return db
    .withRecursive(
      (cte) => cte("considered").materialized(),
      () =>
        db
          .selectFrom(
            values
              .unionAll(
                selectReferences(db, versions)
                  .select(["entry.channel", "entry.version", sql<string | null>`null::text`.as("base")])
                  .select(sql<number | null>`null::integer`.as("bytes"))
                  .select(sql<boolean>`null::boolean`.as("is_candidate")),
              )
              .as("each"),
          )
          .select(["each.channel", "each.version"])
          .select((eb) => [eb.fn.max("each.base").as("base"), eb.fn.max("each.bytes").as("bytes")])
          // NULL for a value that only a header has.
          .select([
            sql<boolean>`coalesce(bool_or(each.is_candidate), false)`.as("is_candidate"),
            sql<boolean>`bool_or(each.is_candidate is null)`.as("is_referenced"),
          ])
          .groupBy(["each.channel", "each.version"]),
    )
    .withRecursive("needed", (qb) =>
      qb
        .selectFrom((eb) =>
          eb
            .selectFrom("considered")
            .select(["considered.channel", sql<string>`considered.base`.as("version")])
            .where("considered.base", "is not", null)
            .where((of) =>
              of.or([of.ref("considered.is_referenced"), of.not(of.ref("considered.is_candidate"))]),
            )
            .limit(UNKNOWN)
            .as("splice"),
        )
        .select(["splice.channel", "splice.version"])
        .union((recursive) =>
          recursive
            .selectFrom("needed")
            .innerJoinLateral(
              (eb) =>
                eb
                  .selectFrom("checkpoint_blobs as stored")
                  .select("stored.base")
                  .where("stored.thread_id", "=", threadId)
                  .where("stored.checkpoint_ns", "=", checkpointNs)
                  .whereRef("stored.channel", "=", "needed.channel")
                  .whereRef("stored.version", "=", "needed.version")
                  // Makes Postgres look up each value by the index, whatever the statistics say.
                  .limit(sql.lit(1))
                  .as("splice"),
              (join) => join.onTrue(),
            )
            .select(["needed.channel", sql<string>`splice.base`.as("version")])
            .where("splice.base", "is not", null),
        ),
    )
    .with("unneeded", (qb) => {
      const unreferenced = qb
        .selectFrom("considered")
        .select(["considered.channel", "considered.version", "considered.base", "considered.bytes"])
        .where((eb) =>
          eb.and([eb.ref("considered.is_candidate"), eb.not(eb.ref("considered.is_referenced"))]),
        );
      const isAnyNeeded = sql<SqlBool>`exists (${qb.selectFrom("needed").select("needed.version")})`;
      const needed = qb
        .selectFrom("needed")
        .select(["needed.channel", "needed.version", sql<string | null>`null::text`.as("base")])
        .select(sql<number | null>`null::integer`.as("bytes"));
      return (
        unreferenced
          // Postgres decides once which of the two parts it runs. So nothing is grouped again where there are no splices.
          .where(sql<SqlBool>`not ${isAnyNeeded}`)
          .unionAll(
            qb
              .selectFrom(
                unreferenced
                  .select(sql<boolean>`false`.as("is_needed"))
                  .where(isAnyNeeded)
                  .unionAll(needed.select(sql<boolean>`true`.as("is_needed")))
                  .as("each"),
              )
              .select(["each.channel", "each.version"])
              .select((eb) => [eb.fn.max("each.base").as("base"), eb.fn.max("each.bytes").as("bytes")])
              .groupBy(["each.channel", "each.version"])
              .having(sql<SqlBool>`not bool_or(each.is_needed)`),
          )
      );
    });
}

/**
 * No limit. Postgres takes most values for splices, since it knows nothing about the rows of a CTE, and would spend a tenth of a second on
 * compiling the statement by JIT. Of rows up to a number that it doesn't know it expects a tenth.
 */
const UNKNOWN = sql<number>`(select ${sql.lit(Number.MAX_SAFE_INTEGER)}::bigint)`;

/** The `channel_versions` of headers, as a table of one column. */
type Versions = RawBuilder<{ versions: unknown }>;

function selectReferences(db: QueryCreator<CheckpointDatabase>, headers: Versions) {
  return db.selectFrom(headers.as<"header">(sql`header(versions)`)).innerJoinLateral(
    sql<{ channel: string; version: string }>`jsonb_each_text(
        case when jsonb_typeof(header.versions) = 'object' then header.versions else ${UNREADABLE} end
      )`.as<"entry">(sql`entry(channel, version)`),
    (join) => join.onTrue(),
  );
}

// Extracted once per header: Postgres decompresses a long header again for each access.
const VERSIONS = sql`checkpoint -> 'channel_versions'`;

/** The versions in all headers of a namespace. */
export function versionsOfNamespace(
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
function versionsOfOthers(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>): Versions {
  const ids = checkpointsOfGiven(db, threadId)
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
          .where("thread_id", "=", threadId)
          .where("checkpoint_ns", "=", GIVEN_NS)
          .whereRef("checkpoints.checkpoint_id", "=", "other.checkpoint_id")
          .limit(sql.lit(1))
          .as("stored"),
      (join) => join.onTrue(),
    )
    .select("stored.versions");
  return sql`(${others})`;
}
