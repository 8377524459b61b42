import { sql } from "kysely";
import { eachChannelVersion } from "../saver/queries/header-parts.js";
import type { CommandContext } from "./command-definition.js";

/** What a value of a checkpoint, or of a write beside it, is written in. */
export interface StoredType {
  readonly checkpointId: string;
  /** The type tag. */
  readonly type: string;
  /** The channel whose value it is; `null` for a write. */
  readonly channel: string | null;
}

/** The checkpoints whose values are asked about. */
export interface CheckpointsOfNamespace {
  readonly thread: string;
  readonly namespace: string;
  readonly ids: readonly string[];
}

/** What a value is written in that stands in the header of its checkpoint, as plain JSON. */
export const IN_HEADER = "in header";

/** What the first versions of the official savers left out. */
const UNTAGGED = "json";

/** The types of the values that checkpoints refer to, and of the writes beside them. No value is read. */
export async function storedTypes(
  { db, schema }: Pick<CommandContext, "db" | "schema">,
  { thread, namespace, ids }: CheckpointsOfNamespace,
): Promise<StoredType[]> {
  const tables = db.withSchema(schema);
  const checkpoints = tables
    .selectFrom("checkpoints as own")
    .where("own.thread_id", "=", thread)
    .where("own.checkpoint_ns", "=", namespace)
    .where("own.checkpoint_id", "in", ids);
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
  const writes = tables
    .selectFrom("checkpoint_writes as write")
    .where("write.thread_id", "=", thread)
    .where("write.checkpoint_ns", "=", namespace)
    .where("write.checkpoint_id", "in", ids)
    .select("write.checkpoint_id as checkpointId")
    .select(sql<string>`coalesce(write.type, ${UNTAGGED})`.as("type"))
    .select(sql<string | null>`null`.as("channel"))
    .distinct();
  const headers = checkpoints
    .where(sql<boolean>`coalesce(own.checkpoint -> 'channel_values', '{}') <> '{}'`)
    .select("own.checkpoint_id as checkpointId")
    .select([sql<string>`${IN_HEADER}::text`.as("type"), sql<string | null>`null`.as("channel")]);
  return blobs.unionAll(writes).unionAll(headers).execute();
}
