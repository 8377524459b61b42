import { sql } from "kysely";
import { queryOf } from "../../db/statements/run-statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** The type tag of a stored value. */
interface StoredType {
  readonly checkpointId: string;
  /** The type tag, or {@link INLINE} for a value that the header of the checkpoint holds as plain JSON. */
  readonly type: string;
  /** The channel of a value; `null` for a pending write, and for a value in the header. */
  readonly channel: string | null;
}

/** Stands for the type tag of values in the header of a checkpoint, which have none. */
export const INLINE = "in header";

/** The type of writes without a type tag: the first versions of the official savers stored JSON without one. */
const UNTAGGED_TYPE = "json";

interface StoredTypesParams extends NamespaceKey {
  readonly checkpointIds: readonly string[];
}

/** Lists the types of the values that checkpoints reference, and of their pending writes. Reads no value. */
export const getStoredTypes = queryOf<StoredTypesParams, StoredType>((db, parameter) => {
  const ids = sql<string>`any(${parameter("checkpointIds")}::text[])`;
  const checkpoints = db
    .selectFrom("checkpoints as own")
    .where("own.thread_id", "=", parameter("threadId"))
    .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("own.checkpoint_id", "=", ids);
  const blobs = checkpoints
    .innerJoinLateral(
      () => eachChannelVersion(sql`own.checkpoint -> 'channel_versions'`),
      (join) => join.onTrue(),
    )
    .innerJoin("checkpoint_blobs as blob", (join) =>
      join
        .onRef("blob.thread_id", "=", "own.thread_id")
        .onRef("blob.checkpoint_ns", "=", "own.checkpoint_ns")
        .onRef("blob.channel", "=", "entry.channel")
        .onRef("blob.version", "=", "entry.version"),
    )
    .select(["own.checkpoint_id as checkpointId", "blob.type"])
    .select(sql<string | null>`blob.channel`.as("channel"));
  const writes = db
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", parameter("threadId"))
    .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("write.checkpoint_id", "=", ids)
    .select("write.checkpoint_id as checkpointId")
    .select(sql<string>`coalesce(write.type, ${sql.lit(UNTAGGED_TYPE)})`.as("type"))
    .select(sql<string | null>`null`.as("channel"))
    .distinct();
  const headers = checkpoints
    .where(sql<boolean>`coalesce(own.checkpoint -> 'channel_values', '{}') <> '{}'`)
    .select("own.checkpoint_id as checkpointId")
    .select([sql<string>`${sql.lit(INLINE)}::text`.as("type"), sql<string | null>`null`.as("channel")]);
  return blobs.unionAll(writes).unionAll(headers);
});
