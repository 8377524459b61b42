import { gunzipSync } from "node:zlib";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";
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

const [FIRST = "", SECOND = "", THIRD = "", FOURTH = ""] = IDS;
const HEADER = { v: 4, run: "red", counts: false, inline: [], parent: null, versions: {} };
const VALUE = { channel: "d", version: "2", base: null, type: "msgpack" };
const WRITE = { id: FIRST, task: "one", channel: "d" };
/** Its head has a version of the delta channel `d` that a write made, and no value. */
const WRITTEN: AnyRows = {
  checkpoints: [
    { ...HEADER, id: FIRST },
    { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "2" } },
  ],
  blobs: [
    { ...VALUE, channel: "x" },
    { ...VALUE, version: "1" },
  ],
  writes: [WRITE],
};
const STORED: AnyRows = { ...WRITTEN, blobs: [VALUE], writes: [] };
/** Its head has no value of a channel that had one, and no write made that version. */
const EMPTIED: AnyRows = {
  checkpoints: [
    { ...HEADER, id: FIRST, versions: { d: "1" } },
    { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "2" } },
  ],
  blobs: [{ ...VALUE, version: "1" }],
  writes: [
    { ...WRITE, channel: "x" },
    { ...WRITE, id: SECOND },
  ],
};
/** One head has the value that a write beside its parent made. The other has none, as in {@link EMPTIED}. */
const WITH_TWO_HEADS: AnyRows = {
  checkpoints: [
    { ...HEADER, id: FIRST, versions: { d: "1" } },
    { ...HEADER, id: SECOND, versions: { d: "1" } },
    { ...HEADER, id: THIRD, parent: FIRST, versions: { d: "2" } },
    { ...HEADER, id: FOURTH, parent: SECOND, versions: { d: "3" } },
  ],
  blobs: ["1", "2"].map((version) => ({ ...VALUE, version })),
  writes: [WRITE],
};

/** A namespace beside others with the same ids, and how many checkpoints a prune of all of them deletes. */
const DELTA_CASES: Record<string, { rows: AnyRows; others: AnyRows; keepLast?: number; deleted: number }> = {
  "only its writes tell of a delta channel": { rows: WRITTEN, others: STORED, deleted: 2 },
  "a row says that it has no value": {
    rows: { ...WRITTEN, blobs: [{ ...VALUE, type: "empty" }] },
    others: STORED,
    deleted: 2,
  },
  "the header of an ancestor has the value": {
    rows: {
      checkpoints: [
        { ...HEADER, id: FIRST, versions: { d: "1" }, inline: ["d"] },
        { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "1" } },
      ],
      ...{ blobs: [], writes: [] },
    },
    others: STORED,
    deleted: 2,
  },
  "other writes don't make a delta channel": { rows: EMPTIED, others: WRITTEN, deleted: 1 },
  "a kept checkpoint has the value": { rows: WITH_TWO_HEADS, others: WRITTEN, keepLast: 2, deleted: 2 },
  "a kept checkpoint has the value in its header": {
    rows: {
      ...WITH_TWO_HEADS,
      checkpoints: WITH_TWO_HEADS.checkpoints.map((each) =>
        each.id === THIRD ? { ...each, inline: ["d"] } : each,
      ),
      blobs: [{ ...VALUE, version: "1" }],
    },
    others: WRITTEN,
    keepLast: 2,
    deleted: 2,
  },
  "only a checkpoint whose parent stays has no value": {
    rows: {
      checkpoints: [
        { ...HEADER, id: FIRST, versions: { d: "1" } },
        { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "3" } },
        { ...HEADER, id: THIRD, versions: { d: "1" } },
        { ...HEADER, id: FOURTH, parent: THIRD, versions: { d: "2" } },
      ],
      blobs: [{ ...VALUE, version: "1" }],
      writes: [{ ...WRITE, id: THIRD }],
    },
    others: WRITTEN,
    keepLast: 3,
    deleted: 1,
  },
};

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

  it.each(Object.entries(DELTA_CASES))(
    "keep an ancestor exactly where a channel needs it (C7): %s",
    async (_name, { rows, others, keepLast = 1, deleted }) => {
      const database = await target.sharedDatabase();
      await using saver = new PostgresSaver(database.source, undefined, { retry: false });
      const db = database.kysely<CheckpointDatabase>();
      for (const place of PLACES) {
        await removeRows(db);
        await storeRows(db, new Map(PLACES.map((each) => [each, each === place ? rows : others])));
        expect(await saver.prune({ keepLast, deleteUnproven: true })).toMatchObject({ checkpoints: deleted });
      }
    },
  );
});
