import { expect, it } from "@jest/globals";
import {
  type CheckpointScope,
  type CheckpointStore,
  createCheckpoint,
} from "../../../src/checkpoint-store/index.js";
import { CheckpointNotFoundError } from "../../../src/errors/index.js";
import { goCheckpoints, type GoVersion } from "./fixture.js";

/** The lists of executions, in the order of time, version and id. */
const EXECUTIONS: Readonly<Record<string, readonly string[]>> = {
  exec_zones: ["checkpoint_zone_1", "checkpoint_zone_2", "checkpoint_zone_3"],
  exec_ties: ["tie_z", "tie_B", "tie_a", "tie_b", "tie_é"],
  exec_calendar: ["time_zero", "time_1969", "time_last"],
  exec_from: ["checkpoint_stays"],
  exec_to: ["checkpoint_moved"],
  exec_cleared: [],
  exec_deleted: [],
  "执行:1 *?[a]": ["id: with / 空格 & 😀"],
};

const THREADS: Readonly<Record<string, readonly string[]>> = {
  "user-7": ["checkpoint_zone_1", "checkpoint_zone_2", "checkpoint_zone_3"],
  "user-8": ["tie_z", "tie_B", "tie_a", "tie_b", "tie_é"],
  "thread-only": ["bare_thread"],
  "thread-from": ["checkpoint_stays"],
  "thread-to": ["checkpoint_moved"],
  "线程 1": ["id: with / 空格 & 😀"],
};

/**
 * Checks how a store of ours goes on with what the stores of Go wrote. Each case changes executions of its own.
 *
 * @param version - The version of Go's stores.
 * @param current - Returns the store, on which `setup` has been called.
 */
export function goOnCases(version: GoVersion, current: () => CheckpointStore): void {
  it("loads every checkpoint of Go as it was saved, to the millisecond", async () => {
    for (const checkpoint of goCheckpoints(version)) {
      expect(await current().load(checkpoint.id)).toEqual(checkpoint);
    }
    await expect(current().load("checkpoint_deleted")).rejects.toThrow(CheckpointNotFoundError);
  });

  it("lists executions by time, then version, then the bytes of the id", async () => {
    for (const [execution, ids] of Object.entries(EXECUTIONS)) {
      expect({ execution, ids: await idsOf(current(), execution) }).toEqual({ execution, ids });
    }
    const run = goCheckpoints(version).filter(({ metadata }) => metadata?.execution_id === "exec_run");
    expect(await current().list("exec_run")).toEqual(run);
  });

  it("lists threads in the same order", async () => {
    for (const [threadId, ids] of Object.entries(THREADS)) {
      expect({ threadId, ids: await idsOf(current(), { threadId }) }).toEqual({ threadId, ids });
    }
  });

  it("finds the newest ones across time zones and ties", async () => {
    expect((await current().latest("exec_zones"))?.id).toBe("checkpoint_zone_3");
    expect((await current().latest({ threadId: "user-8" }))?.id).toBe("tie_é");
    const newest = await current().list({ threadId: "user-7" }, { limit: 2, order: "desc" });
    expect(newest.map(({ id }) => id)).toEqual(["checkpoint_zone_3", "checkpoint_zone_2"]);
  });

  it("saves next versions, and keeps the newest of both languages", async () => {
    const last = await current().latest("exec_run");
    const before = await idsOf(current(), "exec_run");
    for (const n of [1, 2]) {
      const checkpoint = createCheckpoint({
        id: `ours_${n}`,
        executionId: "exec_run",
        threadId: "user-9",
        nodeName: "ours",
        state: { before: last?.state, n },
        timestamp: new Date((last?.timestamp.getTime() ?? 0) + n),
        version: (last?.version ?? 0) + n,
      });
      await current().save(checkpoint, { keepLast: 5 });
    }
    const kept = [...before.slice(-3), "ours_1", "ours_2"];
    expect(await idsOf(current(), "exec_run")).toEqual(kept);
    expect(await idsOf(current(), { threadId: "user-9" })).toEqual(kept);
    expect((await current().latest("exec_run"))?.state).toEqual({ before: { step: 11 }, n: 2 });
  });

  it("saves what it loaded from Go without a change, BigInts included", async () => {
    for (const { id } of await current().list("exec_values")) {
      const loaded = await current().load(id);
      await current().save(loaded);
      expect(await current().load(id)).toEqual(loaded);
    }
  });

  it("moves a checkpoint of Go, and leaves it alone where it once was", async () => {
    const moved = await current().load("checkpoint_moved");
    await current().save({ ...moved, metadata: { execution_id: "exec_ours", thread_id: "thread-ours" } });
    expect(await idsOf(current(), "exec_to")).toEqual([]);
    expect(await idsOf(current(), { threadId: "thread-to" })).toEqual([]);
    expect(await idsOf(current(), "exec_ours")).toEqual(["checkpoint_moved"]);
    // Go's stores on Redis never removed it from the lists of the first execution and thread.
    expect(await current().clear("exec_from")).toBe(1);
    expect(await current().clear({ threadId: "thread-from" })).toBe(0);
    expect(await idsOf(current(), { threadId: "thread-ours" })).toEqual(["checkpoint_moved"]);
  });

  it("deletes and clears what Go saved", async () => {
    expect(await current().delete("tie_a")).toBe(true);
    expect(await current().delete("tie_a")).toBe(false);
    expect(await idsOf(current(), { threadId: "user-8" })).toEqual(["tie_z", "tie_B", "tie_b", "tie_é"]);
    expect(await current().clear("exec_ties")).toBe(4);
    expect(await current().clear({ threadId: "user-7" })).toBe(3);
    expect(await idsOf(current(), "exec_zones")).toEqual([]);
    await expect(current().load("checkpoint_zone_1")).rejects.toThrow(CheckpointNotFoundError);
    expect(await current().delete("bare_nil")).toBe(true);
  });
}

async function idsOf(store: CheckpointStore, scope: CheckpointScope): Promise<string[]> {
  return (await store.list(scope)).map(({ id }) => id);
}
