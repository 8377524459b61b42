import { beforeAll, expect, it } from "@jest/globals";
import { ERROR } from "@langchain/langgraph-checkpoint";
import { DeserializationError, InvalidConfigError } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { idAt } from "../retention/id-at.js";
import { type AuditedDatabase, describeEachLayout } from "./layouts.js";

const LONG = "x".repeat(100_000);

describeEachLayout("writesOf and taskStats", (open) => {
  let audited: AuditedDatabase;

  beforeAll(async () => {
    audited = await open();
  });

  async function twoTasks() {
    const { saver } = audited;
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), { log: ["a"] });
    await saver.putWrites(first.config, [["log", [LONG]], ["note", null]], "task b", "~1"); // oxfmt-ignore
    await saver.putWrites(first.config, [[ERROR, { message: "no" }], ["log", ["z"]]], "task a", "~2"); // oxfmt-ignore
    const second = await putValues(saver, first.config, { log: ["a", LONG, "z"] }, first.checkpoint);
    return { thread, first, second };
  }

  it("returns each write with type, length and value, by task path, task and position", async () => {
    const { saver } = audited;
    const { first } = await twoTasks();
    const writes = await saver.writesOf(first.config);
    const stored = { bytes: expect.any(Number), type: expect.any(String) };
    expect(writes).toEqual([
      { taskId: "task b", taskPath: "~1", idx: 0, channel: "log", value: [LONG], ...stored },
      { taskId: "task b", taskPath: "~1", idx: 1, channel: "note", value: null, ...stored },
      { taskId: "task a", taskPath: "~2", idx: -1, channel: ERROR, value: { message: "no" }, ...stored },
      { taskId: "task a", taskPath: "~2", idx: 1, channel: "log", value: ["z"], ...stored },
    ]);
    expect(writes[0]?.bytes).toBeGreaterThan(LONG.length);
  });

  it("returns the writes beside the newest checkpoint when no id is given", async () => {
    const { saver } = audited;
    const { thread, second } = await twoTasks();
    expect(await saver.writesOf(threadConfig(thread))).toEqual([]);
    await saver.putWrites(second.config, [["log", ["more"]]], "task c");
    expect((await saver.writesOf(threadConfig(thread))).map(({ value }) => value)).toEqual([["more"]]);
  });

  it("fails for a write that can't be decoded", async () => {
    const { saver, database } = audited;
    const { thread, first } = await twoTasks();
    await database.query("update checkpoint_writes set type = 'yaml' where thread_id = $1 and idx = 1", [
      thread,
    ]);
    const error = await saver.writesOf(first.config).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeserializationError);
    expect(error).toMatchObject({ threadId: thread, checkpointId: first.checkpoint.id });
  });

  it("measures writes by task without reading values", async () => {
    const { saver, database } = audited;
    const { thread, first, second } = await twoTasks();
    await saver.putWrites(second.config, [["log", ["more"]]], "task c");
    await database.query("update checkpoint_writes set type = 'yaml' where thread_id = $1", [thread]);
    const stats = await saver.taskStats(thread);
    expect(stats.map(({ checkpointId, taskId, writes }) => [checkpointId, taskId, writes])).toEqual([
      [first.checkpoint.id, "task b", 2],
      [first.checkpoint.id, "task a", 2],
      [second.checkpoint.id, "task c", 1],
    ]);
    const rows = await database.query<{ bytes: number }>(
      "select sum(octet_length(blob))::int as bytes from checkpoint_writes where thread_id = $1 group by task_id order by 1",
      [thread],
    );
    expect(stats.map(({ bytes }) => bytes).sort((a, b) => a - b)).toEqual(rows.map(({ bytes }) => bytes));
    expect(stats.every(({ bytes, writes, meanBytes }) => meanBytes === bytes / writes)).toBe(true);
  });

  it("measures one namespace or one checkpoint", async () => {
    const { saver } = audited;
    const { thread, first } = await twoTasks();
    const child = await putValues(saver, threadConfig(thread, { checkpoint_ns: "child:1" }), { a: 1 });
    await saver.putWrites(child.config, [["a", 2]], "task d");
    const tasksOf = async (options: object) =>
      (await saver.taskStats(thread, options)).map(({ taskId }) => taskId);
    expect(await tasksOf({ checkpointNs: "child:1" })).toEqual(["task d"]);
    expect(await tasksOf({ checkpointNs: "" })).toEqual(["task b", "task a"]);
    expect(await tasksOf({ checkpointId: first.checkpoint.id })).toEqual(["task b", "task a"]);
    expect(await tasksOf({})).toEqual(["task b", "task a", "task d"]);
  });

  it("measures the tasks of all threads since a time, by node and by task", async () => {
    const { saver, database } = audited;
    await database.exec("truncate checkpoint_writes");
    const [old, one, other] = [newThread(), newThread(), newThread()];
    const since = new Date("2026-03-01T00:00:00Z");
    const call = "~__pregel_push, ~__pregel_pull, plan\nb, 0000000000, task 1, 0000000001";
    for (const [thread, afterMs, length, task, path] of [
      [old, -1, 900, "task 0", "~__pregel_pull, agent"],
      [one, 0, 100, "task 1", "~__pregel_pull, plan\nb"],
      [other, 1, 300, "task 1", call],
      [other, 1, 500, "task 2", "~__pregel_push, 0000000000"],
      [other, 1, 50, "task 3", ""],
    ] as const) {
      const config = threadConfig(thread, { checkpoint_id: idAt(since.getTime() + afterMs) });
      await saver.putWrites(config, [["a", "x".repeat(length)]], task, path);
    }
    await database.exec("update checkpoint_writes set type = 'yaml'");
    const { nodes, tasks } = await saver.taskStats({ since });
    expect(nodes.map(({ node, tasks: count, writes }) => [node, count, writes])).toEqual([
      [undefined, 2, 2],
      ["plan\nb", 2, 2],
    ]);
    expect(tasks.map(({ threadId, taskId, node }) => [threadId, taskId, node])).toEqual([
      [other, "task 2", undefined],
      [other, "task 1", "plan\nb"],
      [one, "task 1", "plan\nb"],
      [other, "task 3", undefined],
    ]);
    expect(tasks.slice(1, 3).reduce((sum, { bytes }) => sum + bytes, 0)).toBe(nodes[1]?.bytes);
    const all = await saver.taskStats({ limit: 1 });
    expect(all.nodes.map(({ node }) => node)).toEqual(["agent"]);
    expect(all.tasks.map(({ taskId, node }) => [taskId, node])).toEqual([["task 0", "agent"]]);
    const ofOne = await saver.taskStats({ threadId: one, checkpointNs: "" });
    expect(ofOne.nodes).toMatchObject([{ node: "plan\nb", tasks: 1, writes: 1 }]);
    expect(await saver.taskStats(one)).toMatchObject([{ threadId: one, taskId: "task 1", node: "plan\nb" }]);
  });

  it("refuses a config without a thread, and returns nothing for an unknown thread", async () => {
    const { saver } = audited;
    await expect(saver.writesOf({ configurable: {} })).rejects.toThrow(InvalidConfigError);
    expect(await saver.writesOf(threadConfig("unknown"))).toEqual([]);
    expect(await saver.taskStats("unknown")).toEqual([]);
  });
});
