import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { checkpointOf, metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type MemoryArchive, memoryArchive } from "../../test-support/memory-archive.js";
import { idAt } from "../retention/id-at.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

const IDS: readonly string[] = [5, 4, 3, 2, 1].map((day) => idAt(Date.UTC(2020, 0, 10 - day)));
const WHOLE = { lostFiles: [], incomplete: [], missing: [] };

describeServer("a restore from an archive that has lost a file", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  let archive: MemoryArchive;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
    archive = memoryArchive();
  });
  afterEach(() => saver.end());

  /** Archives the older checkpoints of a thread that goes on between the rounds, and with `whole` the rest. */
  async function archiveInRounds(filesPer: "thread" | "run", whole: boolean): Promise<void> {
    let last = { config: threadConfig("t") } as Awaited<ReturnType<typeof putValues>>;
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3; n++) {
        last = await putValues(saver, last.config, { a: [round, n] }, last.checkpoint);
      }
      await saver.archive({ keepLast: 1, to: archive, filesPer });
    }
    if (whole) await saver.archive({ strategy: "delete", threads: ["t"], to: archive, filesPer });
  }

  it.each([
    { filesPer: "thread", whole: false },
    { filesPer: "thread", whole: true },
    { filesPer: "run", whole: false },
    { filesPer: "run", whole: true },
  ] as const)("says so, whichever it is: %j", async ({ filesPer, whole }) => {
    await archiveInRounds(filesPer, whole);
    // Another thread and another namespace have the checkpoints that this one lacks.
    await database.exec(`insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint, metadata)
      select thread, ns, parent_checkpoint_id, checkpoint, metadata
      from checkpoints, (values ('other', ''), ('t', 'sub')) as others (thread, ns)
      where thread_id = 't' and parent_checkpoint_id is not null`);
    // The newest file, which no other one names, is lost first: the checkpoints that followed it are still stored then.
    const files = [...archive.files].reverse();
    expect(files).toHaveLength(whole ? 4 : 3);
    for (const [name, content] of files) {
      archive.files.delete(name);
      const report = await saver.restore({ from: archive, threads: ["t"] });
      expect([...report.lostFiles, ...report.incomplete, ...report.missing]).not.toEqual([]);
      for (const pattern of report.lostFiles) expect(name).toContain(pattern.split("*")[1]);
      archive.files.set(name, content);
      await saver.deleteThread("t");
    }
  });

  it("says nothing if no file is lost", async () => {
    await archiveInRounds("thread", false);
    expect(await saver.restore({ from: archive })).toMatchObject({ ...WHOLE, threads: 1 });
    await saver.archive({ strategy: "delete", threads: ["t"], to: archive });
    expect(await saver.restore({ from: archive, threads: ["t"] })).toMatchObject({ ...WHOLE, threads: 1 });
  });

  it("does not miss the parent of a checkpoint that was deleted before the thread was archived", async () => {
    await using shallow = new ShallowPostgresSaver(database.source);
    const { config, checkpoint } = await putValues(shallow, threadConfig("shallow"), { a: 1 });
    await putValues(shallow, config, { a: 2 }, checkpoint);
    await shallow.archive({ strategy: "delete", threads: ["shallow"], to: archive });
    expect(await shallow.restore({ from: archive })).toMatchObject({ ...WHOLE, threads: 1, checkpoints: 1 });
  });

  it("does not miss it either where another parent comes back", async () => {
    const at = (n: number) => threadConfig("t", { checkpoint_ns: "", checkpoint_id: IDS[n] });
    const checkpoints = IDS.map((id) => ({ ...checkpointOf(saver, {}), id }));
    const storeAll = async () => {
      for (const [n, checkpoint] of checkpoints.entries())
        await saver.put(n === 0 ? threadConfig("t") : at(n - 1), checkpoint, metadataOf(n), {});
    };
    const remove = (ns: readonly number[]) =>
      database.query("delete from checkpoints where checkpoint_id = any ($1)", [ns.map((n) => IDS[n])]);
    await storeAll();
    await remove([1]);
    await saver.archive({ strategy: "delete", threads: ["t"], to: archive });
    await storeAll();
    // The archive has the parent of 4. Nothing has that of 2.
    await remove([1, 2, 3]);
    expect(await saver.restore({ from: archive })).toMatchObject({ ...WHOLE, checkpoints: 2 });
  });
});
