import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { sql } from "kysely";
import { type CheckpointDatabase, PostgresSaver } from "../src/index.js";
import { findSegments } from "../src/splices/segments.js";
import { encodeSplice } from "../src/splices/splice-bytes.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "./checkpoints.js";
import type { TestDatabase } from "./test-database.js";

/** A channel of a namespace. */
interface ChainPlace {
  readonly channel?: string;
  readonly ns?: string;
}

/**
 * Turns the stored values of a channel into a chain of splices: the k-th refers to number k - lowbit(k). The bytes stay as they are,
 * so the values can't be decoded any more.
 *
 * @returns The versions, oldest first.
 */
export async function chainValues(
  database: TestDatabase,
  thread: string,
  { channel = "list", ns = "" }: ChainPlace = {},
): Promise<string[]> {
  const kysely = database.kysely<CheckpointDatabase>();
  const rows = await kysely
    .selectFrom("checkpoint_blobs")
    .select("version")
    .where("thread_id", "=", thread)
    .where("checkpoint_ns", "=", ns)
    .where("channel", "=", channel)
    .execute();
  const versions = rows
    .map(({ version }) => version)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  for (const [at, version] of versions.entries()) {
    if (at === 0) continue;
    await kysely
      .updateTable("checkpoint_blobs")
      .set({ type: "msgpack-splice", base: versions[baseOf(at)] ?? null, whole_bytes: 1_000 })
      .where("thread_id", "=", thread)
      .where("checkpoint_ns", "=", ns)
      .where("channel", "=", channel)
      .where("version", "=", version)
      .execute();
  }
  return versions;
}

/** The number of the value that the value with this number refers to in a chain. */
export function baseOf(at: number): number {
  return at - (at & -at);
}

/** Inserts a value, whole or as a splice, without a checkpoint that references it. */
export async function insertValue(
  database: TestDatabase,
  thread_id: string,
  version: string,
  { base = null, channel = "list", ns = "" }: ChainPlace & { readonly base?: string | null } = {},
): Promise<void> {
  await database
    .kysely<CheckpointDatabase>()
    .insertInto("checkpoint_blobs")
    .values({
      thread_id,
      checkpoint_ns: ns,
      channel,
      version,
      type: base === null ? "msgpack" : "msgpack-splice",
      blob: Buffer.from(`bytes of ${version}`),
      base,
      whole_bytes: base === null ? null : 1_000,
    })
    .execute();
}

/** The versions of a channel that are stored, oldest first. */
export async function storedVersions(
  database: TestDatabase,
  thread: string,
  { channel = "list", ns = "" }: ChainPlace = {},
): Promise<string[]> {
  const rows = await database.query<{ version: string }>(
    "select version from checkpoint_blobs where thread_id = $1 and checkpoint_ns = $2 and channel = $3",
    [thread, ns, channel],
  );
  return rows.map(({ version }) => version).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/** The versions of splices whose base is not stored. */
export async function brokenSplices(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ version: string }>(
    `select version from checkpoint_blobs as splice where base is not null and not exists (
      select from checkpoint_blobs as stored where stored.thread_id = splice.thread_id
        and stored.checkpoint_ns = splice.checkpoint_ns and stored.channel = splice.channel
        and stored.version = splice.base)`,
  );
  return rows.map(({ version }) => version);
}

/**
 * Stores a list that grows by one item in each checkpoint, and makes each value but the first a splice of the one before. No saver makes
 * a chain that long; older versions did.
 *
 * @param items - The items. The first one has at least 4 KiB.
 * @returns The configs of the checkpoints, oldest first. The n-th one has the first n items.
 */
export async function putLongChain(
  database: TestDatabase,
  thread: string,
  items: readonly string[],
): Promise<RunnableConfig[]> {
  await using saver = new PostgresSaver(database.source);
  const configs = await saver.batch(async (batch) => {
    const stored: RunnableConfig[] = [];
    let checkpoint: Checkpoint | undefined;
    for (let count = 1; count <= items.length; count++) {
      checkpoint = checkpointOf(saver, { list: items.slice(0, count) }, checkpoint);
      const parent = stored.at(-1) ?? threadConfig(thread);
      stored.push(await batch.put(parent, checkpoint, metadataOf(), allVersions(checkpoint)));
    }
    return stored;
  });
  const kysely = database.kysely<CheckpointDatabase>();
  const rows = await kysely
    .selectFrom("checkpoint_blobs")
    .select(["version", "blob"])
    .where("thread_id", "=", thread)
    .orderBy(sql`version collate "C"`)
    .execute();
  for (const [at, { version, blob }] of rows.entries()) {
    const base = rows[at - 1];
    const baseBytes = base?.blob ?? undefined;
    if (blob === null || base === undefined || baseBytes === undefined) continue;
    await kysely
      .updateTable("checkpoint_blobs")
      .set({
        type: "msgpack-splice",
        blob: encodeSplice(at, blob, findSegments(baseBytes, blob)),
        base: base.version,
        whole_bytes: blob.byteLength,
      })
      .where("thread_id", "=", thread)
      .where("version", "=", version)
      .execute();
  }
  return configs;
}

/** The number of values between each splice of a thread and a whole one. Fails where they refer to each other, or one is missing. */
export async function chainLengths(database: TestDatabase, thread: string): Promise<number[]> {
  const rows = await database.query<{ place: string; version: string; base: string | null }>(
    `select json_build_array(checkpoint_ns, channel)::text as place, version, base from checkpoint_blobs where thread_id = $1`,
    [thread],
  );
  const keyOf = (place: string, version: string) => JSON.stringify([place, version]);
  const byKey = new Map(rows.map((row) => [keyOf(row.place, row.version), row]));
  return rows.map(({ place, base: first }) => {
    let length = 0;
    for (let base = first; base !== null; base = byKey.get(keyOf(place, base))?.base ?? null) {
      if (!byKey.has(keyOf(place, base)) || length > rows.length)
        throw new Error(`a broken chain at ${base}`);
      length++;
    }
    return length;
  });
}
