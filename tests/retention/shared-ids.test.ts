import { gunzipSync } from "node:zlib";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Kysely } from "kysely";
import { type CheckpointBatch, type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { DELTA_CASES } from "./delta-cases.js";
import { idAt } from "./id-at.js";
import {
  allRows,
  type AnyRows,
  anyRows,
  IDS,
  leftOf,
  MIDDLE_MS,
  type Place,
  PLACES,
  removeRows,
  storeRows,
} from "./shared-ids.js";

interface Deletion {
  readonly kind: "prune" | "archive" | "deleteForRuns";
  readonly keepLast: number;
  readonly isAged: boolean;
  readonly batchSize: number;
}

const anyDeletion: fc.Arbitrary<Deletion> = fc.record({
  kind: fc.constantFrom("prune", "archive", "deleteForRuns"),
  keepLast: fc.integer({ min: 1, max: 3 }),
  isAged: fc.boolean(),
  batchSize: fc.constantFrom(1, 2, 500),
});

const anyFleet = fc
  .tuple(...PLACES.map(() => anyRows))
  .map((all) => new Map(all.flatMap((rows, at) => PLACES.slice(at, at + 1).map((place) => [place, rows]))));

interface Run {
  readonly dryRun?: boolean;
  readonly to?: MemoryArchive;
}

/** Deletes, and returns how many rows. */
async function run(
  saver: PostgresSaver,
  { kind, keepLast, isAged, batchSize }: Deletion,
  { dryRun = false, to = memoryArchive() }: Run,
): Promise<Record<string, number>> {
  const olderThanMs = isAged ? Date.now() - MIDDLE_MS : undefined;
  const rule = { keepLast, olderThanMs, batchSize, dryRun, deleteUnproven: true };
  const { checkpoints, writes, blobs, bytes } =
    kind === "archive"
      ? await saver.archive({ ...rule, compression: "gzip", to })
      : kind === "prune"
        ? await saver.prune(rule)
        : await saver.deleteForRuns(["red"], { dryRun, deleteUnproven: true });
  return { checkpoints, writes, blobs, bytes };
}

/** The rows in the files of an archive. */
function rowsIn({ files }: MemoryArchive): string[] {
  const lines = [...files.values()].flatMap((file) => gunzipSync(file).toString().split("\n"));
  return lines.filter((line) => line.startsWith('{"table"')).sort();
}

/** The values in the files of an archive of a namespace. */
function blobsIn(archive: MemoryArchive, { blobs }: AnyRows): AnyRows["blobs"] {
  const lines = rowsIn(archive).map((line) => JSON.parse(line) as Record<string, string>);
  const keys = new Set(lines.map(({ channel, version }) => `${channel} ${version}`));
  return blobs.filter(({ channel, version }) => keys.has(`${channel} ${version}`));
}

/** Of the values of a namespace, those that checkpoints or other values need, directly or through splices (C13). */
function neededBlobs(
  blobs: AnyRows["blobs"],
  checkpoints: AnyRows["checkpoints"],
  others: AnyRows["blobs"] = [],
): AnyRows["blobs"] {
  const byKey = new Map(blobs.map((blob) => [`${blob.channel} ${blob.version}`, blob]));
  const needed = new Set<AnyRows["blobs"][number]>();
  const named = checkpoints.flatMap(({ versions }) => Object.entries(versions));
  for (const [channel, first] of [...named, ...others.map((each) => [each.channel, each.version] as const)]) {
    for (
      let blob = byKey.get(`${channel} ${first}`);
      blob !== undefined;
      blob = byKey.get(`${channel} ${blob.base}`)
    )
      needed.add(blob);
  }
  return blobs.filter((blob) => needed.has(blob));
}

/** The values that an archive holds: those that are removed, those of checkpoints that are, and what they need. */
function archivedBlobs(before: AnyRows, after: AnyRows): AnyRows["blobs"] {
  return neededBlobs(
    before.blobs,
    before.checkpoints.filter((each) => !after.checkpoints.includes(each)),
    before.blobs.filter((each) => !after.blobs.includes(each)),
  );
}

/** The writes that stay: of checkpoints that stay, of those that may be still to come, and sends that a checkpoint before version 4 reads. */
function keptWrites(before: AnyRows, after: AnyRows): AnyRows["writes"] {
  const ids = new Set(after.checkpoints.map(({ id }) => id));
  const newest = IDS.findLast((id) => before.checkpoints.some((each) => each.id === id)) ?? "";
  const senders = new Set(after.checkpoints.flatMap(({ v, parent }) => (v < 4 ? [parent] : [])));
  return before.writes.filter(
    ({ id, channel }) => ids.has(id) || id > newest || (channel === "__pregel_tasks" && senders.has(id)),
  );
}

type PutArguments = Parameters<CheckpointBatch["put"]>;

/** A checkpoint that is newer than all others of its namespace, and references nothing. */
function newestOf({ thread, ns }: Place): PutArguments {
  const checkpoint = { v: 4, id: idAt(Date.UTC(2020, 0, 9)), ts: "2020-01-09T00:00:00.000Z" };
  const nothing = { channel_values: {}, channel_versions: {}, versions_seen: {} };
  const config = threadConfig(thread, { checkpoint_ns: ns });
  return [config, { ...checkpoint, ...nothing }, metadataOf(), {}];
}

async function putNewest(batch: CheckpointBatch): Promise<void> {
  for (const place of PLACES) await batch.put(...newestOf(place));
}

async function checkpointsIn(db: Kysely<CheckpointDatabase>): Promise<number> {
  return (await db.selectFrom("checkpoints").select("checkpoint_id").execute()).length;
}

describeAnyTarget("namespaces and threads that share ids, channels and versions", (target) => {
  it("lose exactly what each would lose alone, and keep what it needs (C9, C13)", async () => {
    const database = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, { retry: false });
    const db = database.kysely<CheckpointDatabase>();
    const law = async (all: ReadonlyMap<Place, AnyRows>, deletion: Deletion): Promise<void> => {
      const sum: Record<string, number> = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };
      const expected: string[] = [];
      const alone: string[] = [];
      const together = memoryArchive();
      for (const [place, rows] of all) {
        await removeRows(db);
        await storeRows(db, new Map([[place, rows]]));
        const to = memoryArchive();
        const deleted = await run(saver, deletion, { to });
        alone.push(...rowsIn(to));
        for (const name of Object.keys(sum)) sum[name] = (sum[name] ?? 0) + (deleted[name] ?? 0);
        expected.push(...(await allRows(db)));
        if (deletion.kind === "deleteForRuns") continue;
        const left = await leftOf(db, rows);
        expect(left.blobs).toEqual(neededBlobs(rows.blobs, left.checkpoints));
        expect(left.writes).toEqual(keptWrites(rows, left));
        if (deletion.kind === "archive") expect(blobsIn(to, rows)).toEqual(archivedBlobs(rows, left));
      }
      await removeRows(db);
      await storeRows(db, all);
      expect(await run(saver, deletion, { dryRun: true })).toEqual(sum);
      expect(await run(saver, deletion, { to: together })).toEqual(sum);
      expect(rowsIn(together)).toEqual(alone.sort());
      expect(await allRows(db)).toEqual(expected.sort());
    };
    await fc.assert(fc.asyncProperty(anyFleet, anyDeletion, law), runs(20));
  });

  it("lose exactly what each would lose alone when a saver keeps the newest of each", async () => {
    const database = await target.migratedDatabase();
    const savers = new Map(
      [1, 2, 3].map((keepLast) => [keepLast, new PostgresSaver(database.source, undefined, { keepLast })]),
    );
    const db = database.kysely<CheckpointDatabase>();
    const law = async (all: ReadonlyMap<Place, AnyRows>, keepLast: number): Promise<void> => {
      const expected: string[] = [];
      for (const [place, rows] of all) {
        await removeRows(db);
        await storeRows(db, new Map([[place, rows]]));
        await savers.get(keepLast)?.put(...newestOf(place));
        expected.push(...(await allRows(db)));
        const left = await leftOf(db, rows);
        if (left.checkpoints.length === rows.checkpoints.length) continue;
        expect(left.checkpoints).toHaveLength(keepLast - 1);
        expect(left.blobs).toEqual(neededBlobs(rows.blobs, left.checkpoints));
        const senders = left.checkpoints.flatMap(({ v, parent }) => (v < 4 ? [parent] : []));
        const oldest = left.checkpoints.map(({ id }) => id).sort()[0] ?? "later than all";
        const isKept = ({ id, channel }: AnyRows["writes"][number]) =>
          id >= oldest || (channel === "__pregel_tasks" && senders.includes(id));
        expect(left.writes).toEqual(rows.writes.filter(isKept));
      }
      await removeRows(db);
      await storeRows(db, all);
      await savers.get(keepLast)?.batch((batch) => putNewest(batch));
      expect(await allRows(db)).toEqual(expected.sort());
    };
    await fc.assert(fc.asyncProperty(anyFleet, fc.integer({ min: 1, max: 3 }), law), runs(20));
    for (const saver of savers.values()) await saver.end();
  });

  it.each(Object.entries(DELTA_CASES))(
    "keep an ancestor exactly where a channel needs it (C7): %s",
    async (_name, { rows, others, keepLast = 1, deleted }) => {
      const database = await target.sharedDatabase();
      // The newest one is put then.
      await using saver = new PostgresSaver(database.source, undefined, { keepLast: keepLast + 1 });
      const db = database.kysely<CheckpointDatabase>();
      for (const place of PLACES) {
        const store = async () => {
          await removeRows(db);
          await storeRows(db, new Map(PLACES.map((each) => [each, each === place ? rows : others])));
          return checkpointsIn(db);
        };
        await store();
        expect(await saver.prune({ keepLast, deleteUnproven: true })).toMatchObject({ checkpoints: deleted });
        const before = await store();
        await saver.batch((batch) => putNewest(batch));
        expect(before + PLACES.length - (await checkpointsIn(db))).toBe(deleted);
      }
    },
  );
});
