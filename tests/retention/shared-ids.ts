import fc from "fast-check";
import type { CheckpointDatabase } from "../../src/index.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { idAt } from "./id-at.js";

/** A thread and a namespace of it. */
export interface Place {
  readonly thread: string;
  readonly ns: string;
}

/** Whose rows have the same ids, channels and versions, in other combinations. No name is that of a subgraph call. */
export const PLACES: readonly Place[] = [
  { thread: "a", ns: "" },
  { thread: "a", ns: "sub" },
  { thread: "b", ns: "" },
];

/** Of days years ago, so that no write counts as recent. */
export const IDS: readonly string[] = [1, 2, 3, 4, 5, 6].map((day) => idAt(Date.UTC(2020, 0, day)));

/** Between the third id and the fourth. */
export const MIDDLE_MS = Date.UTC(2020, 0, 3, 12);

export interface AnyCheckpoint {
  readonly id: string;
  readonly parent: string | null;
  readonly v: number;
  readonly run: string;
  /** Whether its metadata marks `d` as a delta channel. */
  readonly counts: boolean;
  readonly inline: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
}

export interface AnyBlob {
  readonly channel: string;
  readonly version: string;
  readonly base: string | null;
  readonly type: string;
}

export interface AnyWrite {
  readonly id: string;
  readonly task: string;
  readonly channel: string;
}

/** The rows of a namespace. */
export interface AnyRows {
  readonly checkpoints: readonly AnyCheckpoint[];
  readonly blobs: readonly AnyBlob[];
  readonly writes: readonly AnyWrite[];
}

const anyId = fc.constantFrom(...IDS);
const anyVersion = fc.constantFrom("1", "2", "3", "4", "5");

/** A value of a channel: whole, a splice of an earlier version, or none. */
function anyBlobs(channel: string, versions: readonly number[]): fc.Arbitrary<AnyBlob[]> {
  const each = versions.map((version) =>
    fc.option(
      fc
        .record({ base: fc.integer({ min: 1, max: version }), isWhole: fc.boolean() })
        .map(({ base, isWhole }): AnyBlob =>
          isWhole || base === version
            ? { channel, version: `${version}`, base: null, type: "msgpack" }
            : { channel, version: `${version}`, base: `${base}`, type: "msgpack-splice" },
        ),
      { freq: 4 },
    ),
  );
  return fc.tuple(...each).map((blobs) => blobs.filter((blob) => blob !== null));
}

const VERSIONS = [1, 2, 3, 4, 5];

const anyWrite: fc.Arbitrary<AnyWrite> = fc.record({
  id: anyId,
  task: fc.constantFrom("one", "two"),
  channel: fc.constantFrom("x", "d", "__pregel_tasks", "__pregel_tasks"),
});

/**
 * Checkpoints whose parents were stored before them, or are gone. The clocks of their writers differ: an id may be less than that of its
 * parent.
 */
const someCheckpoints: fc.Arbitrary<AnyCheckpoint[]> = fc
  .shuffledSubarray([...IDS], { minLength: 1 })
  .chain((ids) => {
    const gone = IDS.filter((id) => !ids.includes(id));
    return fc.tuple(
      ...ids.map((id, at) =>
        fc.record({
          id: fc.constant(id),
          parent: fc.constantFrom(null, ...ids.slice(0, at), ...gone),
          v: fc.constantFrom(4, 3),
          run: fc.constantFrom("red", "blue"),
          counts: fc.boolean(),
          inline: fc.constantFrom([], [], ["y"]),
          versions: fc.record({ x: anyVersion, y: anyVersion, d: anyVersion }, { requiredKeys: ["x"] }),
        }),
      ),
    );
  });

export const anyRows: fc.Arbitrary<AnyRows> = fc.record({
  checkpoints: someCheckpoints,
  blobs: fc
    .tuple(anyBlobs("x", VERSIONS), anyBlobs("y", VERSIONS), anyBlobs("d", VERSIONS))
    .map((blobs) => blobs.flat()),
  writes: fc.uniqueArray(anyWrite, {
    minLength: 2,
    maxLength: 8,
    selector: ({ id, task }) => `${id} ${task}`,
  }),
});

/** Removes all rows from the database. */
export async function removeRows(database: TestDatabase): Promise<void> {
  await database.exec("delete from checkpoints; delete from checkpoint_blobs; delete from checkpoint_writes");
}

/**
 * Stores the rows of namespaces, and replaces those that are stored.
 *
 * @param mark - Makes their contents differ from those of rows with the same keys.
 */
export async function storeRows(
  database: TestDatabase,
  all: ReadonlyMap<Place, AnyRows>,
  mark = "",
): Promise<void> {
  const db = database.kysely<CheckpointDatabase>();
  const each = [...all].map(([{ thread, ns }, rows]) => ({
    key: { thread_id: thread, checkpoint_ns: ns },
    name: `${thread} ${ns} ${mark}`,
    rows,
  }));
  const checkpoints = each.flatMap(({ key, name, rows }) =>
    rows.checkpoints.map((row) => ({
      ...key,
      checkpoint_id: row.id,
      parent_checkpoint_id: row.parent,
      checkpoint: JSON.stringify({
        v: row.v,
        id: row.id,
        ts: "2020-01-01T00:00:00.000Z",
        channel_values: Object.fromEntries(row.inline.map((channel) => [channel, name])),
        channel_versions: row.versions,
        versions_seen: {},
      }),
      metadata: JSON.stringify({
        ...{ source: "loop", step: 0, parents: {}, run_id: row.run, name },
        ...(row.counts && { counters_since_delta_snapshot: { d: [1, 1] } }),
      }),
    })),
  );
  const blobs = each.flatMap(({ key, name, rows }) =>
    rows.blobs.map((row) => ({
      ...key,
      ...row,
      blob: Buffer.from(`${name} ${row.channel} ${row.version}`),
      whole_bytes: row.base === null ? null : 1_000,
    })),
  );
  const writes = each.flatMap(({ key, name, rows }) =>
    rows.writes.map((row) => ({
      ...key,
      checkpoint_id: row.id,
      task_id: row.task,
      idx: 0,
      channel: row.channel,
      type: "msgpack",
      blob: Buffer.from(`${name} ${row.id} ${row.task}`),
    })),
  );
  if (checkpoints.length > 0) {
    await db
      .insertInto("checkpoints")
      .values(checkpoints)
      .onConflict((on) =>
        on.columns(["thread_id", "checkpoint_ns", "checkpoint_id"]).doUpdateSet((eb) => ({
          parent_checkpoint_id: eb.ref("excluded.parent_checkpoint_id"),
          checkpoint: eb.ref("excluded.checkpoint"),
          metadata: eb.ref("excluded.metadata"),
        })),
      )
      .execute();
  }
  if (blobs.length > 0) {
    await db
      .insertInto("checkpoint_blobs")
      .values(blobs)
      .onConflict((on) =>
        on.columns(["thread_id", "checkpoint_ns", "channel", "version"]).doUpdateSet((eb) => ({
          type: eb.ref("excluded.type"),
          blob: eb.ref("excluded.blob"),
          base: eb.ref("excluded.base"),
          whole_bytes: eb.ref("excluded.whole_bytes"),
        })),
      )
      .execute();
  }
  if (writes.length > 0) {
    await db
      .insertInto("checkpoint_writes")
      .values(writes)
      .onConflict((on) =>
        on.columns(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"]).doUpdateSet((eb) => ({
          channel: eb.ref("excluded.channel"),
          blob: eb.ref("excluded.blob"),
        })),
      )
      .execute();
  }
}

/** What of a namespace is stored. */
export async function readRows(
  database: TestDatabase,
  { thread, ns }: Place,
  { checkpoints, blobs, writes }: AnyRows,
): Promise<AnyRows> {
  const stored = async (table: string, columns: string) => {
    const rows = await database.query<{ key: string }>(
      `select concat_ws(' ', ${columns}) as key from ${table} where thread_id = $1 and checkpoint_ns = $2`,
      [thread, ns],
    );
    return new Set(rows.map(({ key }) => key));
  };
  const ids = await stored("checkpoints", "checkpoint_id");
  const values = await stored("checkpoint_blobs", "channel, version");
  const written = await stored("checkpoint_writes", "checkpoint_id, task_id");
  return {
    checkpoints: checkpoints.filter(({ id }) => ids.has(id)),
    blobs: blobs.filter(({ channel, version }) => values.has(`${channel} ${version}`)),
    writes: writes.filter(({ id, task }) => written.has(`${id} ${task}`)),
  };
}
