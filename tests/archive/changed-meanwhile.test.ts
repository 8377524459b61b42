import { afterEach, beforeEach, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type ArchiveRule, type ArchiveTarget, PostgresSaver } from "../../src/index.js";
import { brokenSplices, insertValue, storedVersions } from "../../test-support/chains.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { hoursAgo, putLine } from "../retention/put-line.js";
import {
  type AnyRows,
  anyRows,
  MIDDLE_MS,
  type Place,
  PLACES,
  removeRows,
  storeRows,
} from "../retention/shared-ids.js";

const anyRule: fc.Arbitrary<() => ArchiveRule> = fc.constantFrom(
  () => ({ keepLast: 1, batchSize: 1, deleteUnproven: true }),
  () => ({ keepLast: 2, deleteUnproven: true }),
  () => ({ olderThanMs: Date.now() - MIDDLE_MS, batchSize: 2, deleteUnproven: true }),
  () => ({ idleForMs: 1 }),
  () => ({ strategy: "delete", threads: ["a", "b"] }),
);

const anyFleet = fc
  .tuple(...PLACES.map(() => anyRows))
  .map((all) => new Map(all.flatMap((rows, at) => PLACES.slice(at, at + 1).map((place) => [place, rows]))));

/** Some of the rows. */
const anyChange = fc.tuple(
  fc.constantFrom(...PLACES),
  anyRows,
  fc.constantFrom("checkpoints", "blobs", "writes"),
);

describeAnyTarget("an archive of rows that change after they were written to the file", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let archive: MemoryArchive;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false });
    archive = memoryArchive();
  });
  afterEach(() => saver.end());

  /** An archive that awaits `meanwhile` after it has stored the file of the thread or of all threads. */
  function changing(thread: string, meanwhile: () => Promise<void>): ArchiveTarget {
    return {
      ...archive,
      write: async (name, ...others) => {
        await archive.write(name, ...others);
        if (name.startsWith(thread) || name.startsWith("~")) await meanwhile();
      },
    };
  }

  const rowsOf = async () => Object.values(await allRows(database)).flat();

  it("keeps each row that is new or another one, removes only rows of the file, and of a whole thread all or none", async () => {
    const law = async (
      all: ReadonlyMap<Place, AnyRows>,
      ruleOf: () => ArchiveRule,
      change: [Place, AnyRows, "checkpoints" | "blobs" | "writes"],
      filesPer: "thread" | "run",
    ): Promise<void> => {
      archive.files.clear();
      await removeRows(database);
      await storeRows(database, all);
      const before = new Set(await rowsOf());
      const [place, rows, table] = change;
      const added = { checkpoints: [], blobs: [], writes: [], [table]: rows[table] };
      let removedEarlier = 0;
      let after: string[] = [];
      const to = changing(place.thread, async () => {
        removedEarlier = before.size - (await rowsOf()).length;
        await storeRows(database, new Map([[place, added]]), "later");
        after = await rowsOf();
      });
      const rule = ruleOf();
      const moved = await saver.archive({ ...rule, filesPer, to });
      if (after.length === 0) return;
      const left = new Set(await rowsOf());
      const gone = after.filter((row) => !left.has(row));
      for (const row of gone) expect(before).toContain(row);
      expect(left.size + gone.length).toBe(after.length);
      expect(moved.checkpoints + moved.writes + moved.blobs).toBe(removedEarlier + gone.length);
      if ("keepLast" in rule || "olderThanMs" in rule) return;
      const ofThread = (row: string) => row.startsWith(`(${place.thread},`);
      expect([0, after.filter(ofThread).length]).toContain(gone.filter(ofThread).length);
    };
    const anyFilesPer = fc.constantFrom<"thread" | "run">("thread", "run");
    await fc.assert(fc.asyncProperty(anyFleet, anyRule, anyChange, anyFilesPer, law), runs(30));
  });

  it("keeps the base of a splice that came meanwhile, before its checkpoint (C13)", async () => {
    await putLine(saver, "t", hoursAgo(3, 2, 1));
    const [base = ""] = await storedVersions(database, "t");
    const to = changing("t", () => insertValue(database, "t", "late", { base }));
    expect(await saver.archive({ keepLast: 1, to })).toMatchObject({ checkpoints: 2, blobs: 1 });
    expect(await storedVersions(database, "t")).toContain(base);
    expect(await brokenSplices(database)).toEqual([]);
  });
});
