import { afterEach, beforeEach, expect, it } from "@jest/globals";
import fc from "fast-check";
import {
  type ArchiveRule,
  type ArchiveTarget,
  type CheckpointDatabase,
  PostgresSaver,
} from "../../src/index.js";
import { brokenSplices, insertValue, storedVersions } from "../../test-support/chains.js";
import {
  allVersions,
  checkpointOf,
  listIds,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { HOUR, hoursAgo, putLine } from "../retention/put-line.js";
import {
  allRows,
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

  /** An archive that awaits `meanwhile` after it has stored a file, with the threads of the file. */
  function changing(meanwhile: (isOfFile: (thread: string) => boolean) => Promise<void>): ArchiveTarget {
    return {
      ...archive,
      write: async (name, ...others) => {
        await archive.write(name, ...others);
        await meanwhile((thread) => name.startsWith(thread) || name.startsWith("~"));
      },
    };
  }

  it("keeps each row that is new or another one, and of a whole thread then all of them", async () => {
    const db = database.kysely<CheckpointDatabase>();
    const law = async (
      [all, changes]: readonly [ReadonlyMap<Place, AnyRows>, ReadonlyMap<Place, AnyRows>],
      ruleOf: () => ArchiveRule,
      table: keyof AnyRows,
      filesPer: "thread" | "run",
    ): Promise<void> => {
      archive.files.clear();
      await removeRows(db);
      await storeRows(db, all);
      const before = await allRows(db);
      const later: string[] = [];
      const beside: string[] = [];
      const added: number[] = [];
      const to = changing(async (isOfFile) => {
        const stored = new Set(await allRows(db));
        const changed = [...changes].flatMap(([place, rows]): [Place, AnyRows][] =>
          isOfFile(place.thread)
            ? [[place, { checkpoints: [], blobs: [], writes: [], [table]: rows[table] }]]
            : [],
        );
        await storeRows(db, new Map(changed), "later");
        const now = await allRows(db);
        added.push(now.length - stored.size);
        later.push(...now.filter((row) => !stored.has(row)));
        beside.push(
          ...now.filter((row) =>
            changed.some(([{ thread }, rows]) => rows[table].length > 0 && row.startsWith(`(${thread},`)),
          ),
        );
      });
      const rule = ruleOf();
      const moved = await saver.archive({ ...rule, filesPer, to });
      const left = new Set(await allRows(db));
      const stays = "keepLast" in rule || "olderThanMs" in rule ? later : beside;
      expect(stays.filter((row) => !left.has(row))).toEqual([]);
      const known = new Set([...before, ...later]);
      expect([...left].filter((row) => !known.has(row))).toEqual([]);
      expect(moved.checkpoints + moved.writes + moved.blobs).toBe(
        added.reduce((sum, rows) => sum + rows, before.length) - left.size,
      );
    };
    const property = fc.asyncProperty(
      fc.tuple(anyFleet, anyFleet),
      anyRule,
      fc.constantFrom<keyof AnyRows>("checkpoints", "blobs", "writes"),
      fc.constantFrom("thread", "run"),
      law,
    );
    await fc.assert(property, runs(30));
  });

  it("keeps the ancestors of a delta channel that only a new checkpoint needs (C7)", async () => {
    const root = await putValues(saver, threadConfig("t"), { a: ["root"] });
    await saver.putWrites(root.config, [["delta", ["written"]]], "task");
    await putValues(saver, root.config, { a: ["head"] }, root.checkpoint);
    const child = checkpointOf(saver, { a: ["child"] }, root.checkpoint);
    const checkpoint = { ...child, channel_versions: { ...child.channel_versions, delta: "1" } };
    const metadata = metadataOf(1, { counters_since_delta_snapshot: { delta: [1, 1] } });
    const versions = { ...allVersions(child), delta: "1" };
    const to = changing(async () => {
      await saver.put(root.config, checkpoint, metadata, versions);
    });
    expect(await saver.archive({ keepLast: 1, to })).toMatchObject({ checkpoints: 0, writes: 0 });
    const { delta } = await saver.getDeltaChannelHistory({ config: threadConfig("t"), channels: ["delta"] });
    expect(delta?.writes).toEqual([["task", "delta", ["written"]]]);
  });

  it("keeps a thread that went on before it was written to the file", async () => {
    for (const thread of ["a", "b", "c"]) await putLine(saver, thread, hoursAgo(3, 2));
    const to = changing(async (isOfFile) => {
      if (!isOfFile("a")) return;
      await putValues(saver, threadConfig("b"), { list: ["new"] });
      await saver.deleteThread("c");
    });
    let namespacesDone = 0;
    const onProgress = (step: { readonly namespacesDone: number }) => ({ namespacesDone } = step);
    expect(await saver.archive({ idleForMs: HOUR, to, onProgress })).toMatchObject({
      threads: 1,
      changed: 1,
    });
    expect(await listIds(saver.list(threadConfig("b")))).toHaveLength(3);
    expect(namespacesDone).toBe(2);
  });

  it("keeps writes without a checkpoint whose checkpoint comes meanwhile", async () => {
    const [id = "", next = ""] = hoursAgo(3, 2);
    const at = threadConfig("t", { checkpoint_ns: "", checkpoint_id: id });
    await saver.putWrites(at, [["list", 1]], "task");
    await putLine(saver, "t", [next]);
    const to = changing(() => putLine(saver, "t", [id]));
    expect(await saver.archive({ keepLast: 9, deleteUnproven: true, to })).toMatchObject({ writes: 0 });
    expect((await saver.getTuple(at))?.pendingWrites).toContainEqual(["task", "list", 1]);
  });

  it("removes the other checkpoints of a transaction where one has a new write or a new child", async () => {
    const ids = hoursAgo(5, 4, 3, 2);
    await putLine(saver, "t", ids);
    await putLine(saver, "u", ids);
    const at = (thread: string, n: number) =>
      threadConfig(thread, { checkpoint_ns: "", checkpoint_id: ids[n] });
    const to = changing(async (isOfFile) => {
      if (isOfFile("t")) await saver.putWrites(at("t", 1), [["list", ["late"]]], "late");
      else await putValues(saver, at("u", 0), { list: ["child"] });
    });
    expect(await saver.archive({ keepLast: 1, threads: ["t"], to })).toMatchObject({
      checkpoints: 2,
      changed: 1,
    });
    expect(await saver.archive({ keepLast: 1, threads: ["u"], to })).toMatchObject({
      checkpoints: 3,
      changed: 0,
    });
    expect(await listIds(saver.list(threadConfig("t")))).toEqual([ids[3], ids[1]]);
  });

  it("keeps all values of a namespace whose newest header is damaged meanwhile (C18)", async () => {
    const ids = hoursAgo(3, 2, 1);
    await putLine(saver, "t", ids);
    const to = changing(async () => {
      await database.query("update checkpoints set checkpoint = '{}' where checkpoint_id = $1", [ids[2]]);
    });
    expect(await saver.archive({ keepLast: 1, to })).toMatchObject({ checkpoints: 2, blobs: 0 });
  });

  it("keeps the base of a splice that came meanwhile, before its checkpoint (C13)", async () => {
    await putLine(saver, "t", hoursAgo(3, 2, 1));
    const [base = ""] = await storedVersions(database, "t");
    const to = changing(() => insertValue(database, "t", "late", { base }));
    expect(await saver.archive({ keepLast: 1, to })).toMatchObject({ checkpoints: 2, blobs: 1 });
    expect(await storedVersions(database, "t")).toContain(base);
    expect(await brokenSplices(database)).toEqual([]);
  });
});
