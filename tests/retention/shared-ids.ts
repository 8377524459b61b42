import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../src/index.js";
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

type Db = Kysely<CheckpointDatabase>;

/** Removes all rows from the database. */
export async function removeRows(db: Db): Promise<void> {
  await db.deleteFrom("checkpoints").execute();
  await db.deleteFrom("checkpoint_blobs").execute();
  await db.deleteFrom("checkpoint_writes").execute();
}

/**
 * Stores the rows of namespaces, and replaces those that are stored.
 *
 * @param mark - Makes their contents differ from those of rows with the same keys.
 */
export async function storeRows(db: Db, all: ReadonlyMap<Place, AnyRows>, mark = ""): Promise<void> {
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
      checkpoint: {
        v: row.v,
        id: row.id,
        ts: "2020-01-01T00:00:00.000Z",
        channel_values: Object.fromEntries(row.inline.map((channel) => [channel, name])),
        channel_versions: row.versions,
        versions_seen: {},
      },
      metadata: {
        ...{ source: "loop", step: 0, parents: {}, run_id: row.run, name },
        ...(row.counts && { counters_since_delta_snapshot: { d: [1, 1] } }),
      },
    })),
  );
  const blobs = each.flatMap(({ key, name, rows }) =>
    rows.blobs.map((row) => ({
      ...key,
      ...row,
      blob: inHex(`${name} ${row.channel} ${row.version}`),
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
      blob: inHex(`${name} ${row.id} ${row.task}`),
    })),
  );
  await upsert(db, "checkpoints", checkpoints, ["checkpoint_id"]);
  await upsert(db, "checkpoint_blobs", blobs, ["channel", "version"]);
  await upsert(db, "checkpoint_writes", writes, ["checkpoint_id", "task_id", "idx"]);
}

/** @param key - The columns of the primary key after the namespace. */
async function upsert(
  db: Db,
  table: keyof CheckpointDatabase,
  rows: readonly object[],
  key: readonly string[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(rows[0] ?? {});
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const conflict = sql.join(["thread_id", "checkpoint_ns", ...key].map((name) => sql.ref(name)));
  const replaced = sql.join(names.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
  await sql`
    insert into ${sql.table(table)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})
    on conflict (${conflict}) do update set ${replaced}
  `.execute(db);
}

/** As Postgres reads bytes from JSON. */
function inHex(text: string): string {
  return `\\x${Buffer.from(text).toString("hex")}`;
}

/** Every row of the database, as Postgres prints it. */
export async function allRows(db: Db): Promise<string[]> {
  const { rows } = await sql<{ row: string }>`
    select stored::text as row from checkpoints as stored
    union all select stored::text from checkpoint_blobs as stored
    union all select stored::text from checkpoint_writes as stored
  `.execute(db);
  return rows.map(({ row }) => row).sort();
}

/** What is left of the rows of a namespace, if no other has rows. */
export async function leftOf(db: Db, rows: AnyRows): Promise<AnyRows> {
  const found = await sql<{ key: string }>`
    select checkpoint_id as key from checkpoints
    union all select channel || ' ' || version from checkpoint_blobs
    union all select checkpoint_id || ' ' || task_id from checkpoint_writes
  `.execute(db);
  const keys = new Set(found.rows.map(({ key }) => key));
  return {
    checkpoints: rows.checkpoints.filter(({ id }) => keys.has(id)),
    blobs: rows.blobs.filter(({ channel, version }) => keys.has(`${channel} ${version}`)),
    writes: rows.writes.filter(({ id, task }) => keys.has(`${id} ${task}`)),
  };
}
