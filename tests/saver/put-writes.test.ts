import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { ERROR, INTERRUPT, RESUME } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, SerializationError } from "../../src/index.js";
import {
  checkpointOf,
  metadataOf,
  newThread,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

describeEachTarget("putWrites", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  async function newCheckpoint() {
    const { config } = await putValues(saver, threadConfig(newThread()), { a: 1 });
    return { config, writes: async () => (await saver.getTuple(config))?.pendingWrites };
  }

  it("stores every write of a call, also two to one channel, in the order of the call", async () => {
    const { config, writes } = await newCheckpoint();
    await saver.putWrites(
      config,
      [
        ["b", 1],
        ["a", { x: 1 }],
        ["b", 2],
      ],
      "task",
    );
    expect(await writes()).toEqual([
      ["task", "b", 1],
      ["task", "a", { x: 1 }],
      ["task", "b", 2],
    ]);
  });

  it("stores interrupts in Python's form, and reads them back equal", async () => {
    const { config, writes } = await newCheckpoint();
    const interrupt = { id: "0123456789abcdef0123456789abcdef", value: { question: "really?" } };
    await saver.putWrites(config, [[INTERRUPT, interrupt]], "task");
    expect(await writes()).toStrictEqual([["task", INTERRUPT, interrupt]]);
    const [row] = await database.query<{ text: string }>(
      "select encode(blob, 'escape') as text from checkpoint_writes where checkpoint_id = $1",
      [config.configurable?.checkpoint_id],
    );
    expect(row?.text).toContain("langgraph.types");
    expect(row?.text).toContain("Interrupt");
  });

  it("changes nothing when a task's writes are stored again (C6)", async () => {
    const { config, writes } = await newCheckpoint();
    await saver.putWrites(config, [["a", "first"]], "task");
    await saver.putWrites(config, [["a", "second"]], "task");
    expect(await writes()).toEqual([["task", "a", "first"]]);
  });

  it("replaces errors, interrupts and resumes separately, in a call that has other writes too", async () => {
    const { config, writes } = await newCheckpoint();
    await saver.putWrites(
      config,
      [
        [RESUME, ["a"]],
        ["branch", 1],
      ],
      "task",
    );
    await saver.putWrites(
      config,
      [
        [RESUME, ["a", "b"]],
        ["branch", 2],
      ],
      "task",
    );
    await saver.putWrites(
      config,
      [
        [INTERRUPT, 1],
        [ERROR, 1],
      ],
      "task",
    );
    await saver.putWrites(config, [[INTERRUPT, 2]], "task");
    expect(await writes()).toEqual([
      ["task", RESUME, ["a", "b"]],
      ["task", INTERRUPT, 2],
      ["task", ERROR, 1],
      ["task", "branch", 1],
    ]);
  });

  it("stores the last of two special writes of one kind in a call", async () => {
    const { config, writes } = await newCheckpoint();
    await saver.putWrites(
      config,
      [
        [RESUME, 1],
        [RESUME, 2],
      ],
      "task",
    );
    expect(await writes()).toEqual([["task", RESUME, 2]]);
  });

  it("orders writes by task path, then task, then position", async () => {
    const { config, writes } = await newCheckpoint();
    await saver.putWrites(config, [["a", 3]], "task-1", "~b");
    await saver.putWrites(config, [["a", 2]], "task-2", "~a");
    await saver.putWrites(
      config,
      [
        ["a", 1],
        ["b", 1],
      ],
      "task-3",
    );
    expect((await writes())?.map(([task, channel]) => task + channel)).toEqual([
      "task-3a",
      "task-3b",
      "task-2a",
      "task-1a",
    ]);
  });

  it("returns writes that arrived before their checkpoint once it is stored", async () => {
    const thread = newThread();
    const checkpoint = { ...checkpointOf(saver, {}), id: nextId() };
    const config = threadConfig(thread, { checkpoint_ns: "", checkpoint_id: checkpoint.id });
    await saver.putWrites(config, [["a", 1]], "task");
    expect(await saver.getTuple(threadConfig(thread))).toBeUndefined();
    await saver.put(threadConfig(thread), checkpoint, metadataOf(), {});
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "a", 1]]);
  });

  it("separates namespaces, and treats a missing one as the root", async () => {
    const thread = newThread();
    const root = await putValues(saver, threadConfig(thread), { a: 1 });
    const id = root.checkpoint.id;
    await saver.put(threadConfig(thread, { checkpoint_ns: "child:1" }), root.checkpoint, metadataOf(), {});
    await saver.putWrites(threadConfig(thread, { checkpoint_id: id }), [["a", "root"]], "task");
    await saver.putWrites(
      threadConfig(thread, { checkpoint_id: id, checkpoint_ns: "child:1" }),
      [["a", "child"]],
      "task",
    );
    const writesOf = async (checkpoint_ns: string) =>
      (await saver.getTuple(threadConfig(thread, { checkpoint_ns })))?.pendingWrites;
    expect(await writesOf("")).toEqual([["task", "a", "root"]]);
    expect(await writesOf("child:1")).toEqual([["task", "a", "child"]]);
  });

  it("ignores an empty call, and names the place of a value that can't be stored", async () => {
    const { config, writes } = await newCheckpoint();
    await saver.putWrites(config, [], "task");
    const error = await saver
      .putWrites(
        config,
        [
          ["a", 1],
          ["b", { f: () => 1 }],
        ],
        "task",
      )
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SerializationError);
    expect(error).toMatchObject({ channel: "b", path: "f" });
    expect(await writes()).toEqual([]);
  });
});
