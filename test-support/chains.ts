import type { CheckpointDatabase } from "../src/index.js";
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
