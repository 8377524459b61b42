import { type QueryCreator, type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import { GIVEN_NS, checkpointsOfGiven, givenList } from "./per-namespace.js";

/**
 * The values of the given namespace that no checkpoint references beside those in its list `ids`, and that no splice needs which such a
 * checkpoint references (C13), each with the value that it is itself a splice of.
 */
export function unreferencedBlobs(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>) {
  const stored = db
    .selectFrom("checkpoint_blobs as stored")
    .select(["stored.channel", "stored.version", "stored.base"])
    .select([storedSize("stored.blob").as("bytes"), sql<boolean>`true`.as("is_candidate")])
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", GIVEN_NS);
  const versions = versionsOfGiven(db, threadId);
  return withUnneeded(db, { threadId, checkpointNs: GIVEN_NS, values: stored, versions })
    .selectFrom("unneeded")
    .select(["unneeded.channel", "unneeded.version", "unneeded.base", "unneeded.bytes", "unneeded.is_orphan"])
    .select(ARE_ALL_READABLE.as("is_readable"));
}

/** The `channel_versions` that stand for those of a header that is damaged: one channel without a version. */
const UNREADABLE = sql`'{"": null}'::jsonb`;

/**
 * Whether all headers that {@link withUnneeded} has read, and that stay, name their versions. Nobody knows what the others reference, so no value of
 * their namespace is proven to be an orphan. Postgres evaluates it once for a namespace.
 */
export const ARE_ALL_READABLE: RawBuilder<boolean> = sql<boolean>`not exists (
  select from considered where considered.is_referenced and (considered.version is null
    or left(considered.version, 1) in ('{', '[') or considered.version in ('true', 'false'))
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
 * The CTE `unneeded`: the candidates that no checkpoint references which stays, and that no splice needs, directly or through other splices,
 * unless that splice is such a candidate too. `is_orphan` are those of which the same is true now, while all checkpoints are there.
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
            db
              .selectFrom(values.as("value"))
              .select(["value.channel", "value.version", "value.base", "value.bytes", "value.is_candidate"])
              // NULL for a value that no header has.
              .select(sql<boolean>`null::boolean`.as("is_deleted"))
              .unionAll(
                selectReferences(db, versions)
                  .select(["entry.channel", "entry.version", sql<string | null>`null::text`.as("base")])
                  .select(sql<number | null>`null::integer`.as("bytes"))
                  .select([sql<boolean>`null::boolean`.as("is_candidate"), "header.is_deleted"]),
              )
              .as("each"),
          )
          .select(["each.channel", "each.version"])
          .select((eb) => [eb.fn.max("each.base").as("base"), eb.fn.max("each.bytes").as("bytes")])
          .select([
            sql<boolean>`coalesce(bool_or(each.is_candidate), false)`.as("is_candidate"),
            sql<boolean>`coalesce(bool_or(not each.is_deleted), false)`.as("is_referenced"),
            sql<boolean>`bool_or(each.is_deleted is not null)`.as("is_referenced_now"),
          ])
          .groupBy(["each.channel", "each.version"]),
    )
    .withRecursive("needed", (qb) =>
      qb
        .selectFrom((eb) =>
          eb
            .selectFrom("considered")
            .select(["considered.channel", sql<string>`considered.base`.as("version")])
            .select(sql<boolean>`considered.is_referenced or not considered.is_candidate`.as("is_staying"))
            .where("considered.base", "is not", null)
            .where((of) =>
              of.or([of.ref("considered.is_referenced_now"), of.not(of.ref("considered.is_candidate"))]),
            )
            .limit(UNKNOWN)
            .as("splice"),
        )
        .select(["splice.channel", "splice.version", "splice.is_staying"])
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
            .select(["needed.channel", sql<string>`splice.base`.as("version"), "needed.is_staying"])
            .where("splice.base", "is not", null),
        ),
    )
    .with("unneeded", (qb) => {
      const unreferenced = qb
        .selectFrom("considered")
        .select(["considered.channel", "considered.version", "considered.base", "considered.bytes"])
        .select(sql<boolean>`not considered.is_referenced_now`.as("is_orphan"))
        .where((eb) =>
          eb.and([eb.ref("considered.is_candidate"), eb.not(eb.ref("considered.is_referenced"))]),
        );
      const isAnyNeeded = sql<SqlBool>`exists (${qb.selectFrom("needed").select("needed.version")})`;
      const needed = qb
        .selectFrom("needed")
        .select(["needed.channel", "needed.version", sql<string | null>`null::text`.as("base")])
        .select([sql<number | null>`null::integer`.as("bytes"), sql<boolean>`false`.as("is_orphan")]);
      return (
        unreferenced
          // Postgres decides once which of the two parts it runs. So nothing is grouped again where there are no splices.
          .where(sql<SqlBool>`not ${isAnyNeeded}`)
          .unionAll(
            qb
              .selectFrom(
                unreferenced
                  .select([sql<boolean>`true`.as("is_listed"), sql<boolean>`false`.as("is_staying")])
                  .where(isAnyNeeded)
                  .unionAll(needed.select([sql<boolean>`false`.as("is_listed"), "needed.is_staying"]))
                  .as("each"),
              )
              .select(["each.channel", "each.version"])
              .select((eb) => [eb.fn.max("each.base").as("base"), eb.fn.max("each.bytes").as("bytes")])
              .select(sql<boolean>`bool_and(each.is_orphan)`.as("is_orphan"))
              .groupBy(["each.channel", "each.version"])
              .having(sql<SqlBool>`bool_or(each.is_listed) and not bool_or(each.is_staying)`),
          )
      );
    });
}

/**
 * No limit. Postgres takes most values for splices, since it knows nothing about the rows of a CTE, and would spend a tenth of a second on
 * compiling the statement by JIT. Of rows up to a number that it doesn't know it expects a tenth.
 */
const UNKNOWN = sql<number>`(select ${sql.lit(Number.MAX_SAFE_INTEGER)}::bigint)`;

/** The `channel_versions` of headers, and whether the header counts as deleted. */
type Versions = RawBuilder<{ versions: unknown; is_deleted: boolean }>;

function selectReferences(db: QueryCreator<CheckpointDatabase>, headers: Versions) {
  return db.selectFrom(headers.as<"header">(sql`header(versions, is_deleted)`)).innerJoinLateral(
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
    .select([VERSIONS.as("versions"), sql<boolean>`false`.as("is_deleted")])
    .where("thread_id", "=", threadId)
    .where("checkpoint_ns", "=", checkpointNs)
    .offset(sql.lit(0));
  return sql`(${all})`;
}

/**
 * The versions in all headers of the given namespace. Those in its list `ids` count as deleted. They are looked up in a JSON object, which
 * takes the logarithm of their number for each header, whatever Postgres expects: a join could become a loop over the list.
 */
function versionsOfGiven(db: QueryCreator<CheckpointDatabase>, threadId: RawBuilder<string>): Versions {
  const deleted = sql<{ ids: unknown }>`(
    select jsonb_object_agg(named.id, true) as ids from unnest(${givenList("ids")}) as named(id) offset 0
  )`;
  const all = db
    .selectFrom(deleted.as("deleted"))
    .innerJoinLateral(
      checkpointsOfGiven(db, threadId)
        .select(["stored.checkpoint_id", VERSIONS.as("versions")])
        .offset(sql.lit(0))
        .as("stored"),
      (join) => join.onTrue(),
    )
    .select("stored.versions")
    .select(sql<boolean>`coalesce(jsonb_exists(deleted.ids, stored.checkpoint_id), false)`.as("is_deleted"));
  return sql`(${all})`;
}
