import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { PermissionError, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { listIds, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, onOneServer } from "../../test-support/targets.js";
import { startClocked } from "../scheduled-retention/clocked-retention.js";
import { NO_ROW_SECURITY, openTenancy, rowsOfOthers, TABLES, type Tenancy } from "./tenancy.js";

const RUN = "9d3f0b1e-0000-4000-8000-000000000001";
const NOTHING = { checkpoints: 0, blobs: 0, writes: 0, bytes: 0 };
const EVERYTHING_OLD = { olderThanMs: 0, keepLast: 1 };

// Both tenants have the same run and as many checkpoints, so that a call that looks too far finds something.
onOneServer(NO_ROW_SECURITY, describeAnyTarget)("tenants that maintain their threads", (target) => {
  let tenancy: Tenancy;
  let acme: PostgresSaver;
  let foreign: RunnableConfig;
  let before: unknown;
  const ids: string[] = [];

  beforeAll(async () => {
    tenancy = await openTenancy(target);
    acme = tenancy.saver("acme");
  });
  afterAll(() => tenancy.close());

  beforeEach(async () => {
    for (const table of TABLES) await tenancy.asOwner(`truncate ${table}`);
    const bolt = tenancy.saver("bolt");
    foreign = await fill(bolt, "bolt:1");
    ids.length = 0;
    await fill(acme, "acme:1");
    ids.push(...(await listIds(acme.list({}))));
    before = await rowsOfOthers(tenancy, "acme");
  });

  // After every test the rows of the other tenant are unchanged.
  afterEach(async () => {
    expect(await rowsOfOthers(tenancy, "acme")).toEqual(before);
  });

  async function fill(saver: PostgresSaver, thread: string): Promise<RunnableConfig> {
    let parent = await putValues(saver, threadConfig(thread), { log: [0], title: ["same"] });
    for (let step = 1; step < 4; step++) {
      await saver.putWrites(parent.config, [["log", step]], "task");
      parent = await putValues(saver, parent.config, { log: [step] }, parent.checkpoint);
    }
    await tenancy.asOwner(`update checkpoints set metadata = metadata || '{"run_id": "${RUN}"}'`);
    return parent.config;
  }

  it("list and lift only their own tombstones", async () => {
    await tenancy.asOwner("insert into checkpoint_tombstones (thread_id) values ('acme:9'), ('bolt:9')");
    before = await rowsOfOthers(tenancy, "acme");
    expect((await acme.listTombstones()).map(({ threadId }) => threadId)).toEqual(["acme:9"]);
    expect(await acme.liftTombstones(["acme:9", "bolt:9"])).toEqual(["acme:9"]);
  });

  it("run a retention each at the same time", async () => {
    const others = startClocked(tenancy.saver("bolt"), { keepLast: 100 });
    await others.round();
    const own = startClocked(acme, { keepLast: 1 });
    await own.round();
    expect(await listIds(acme.list({}))).toEqual(ids.slice(0, 1));
    await Promise.all([own.retention.stop(), others.retention.stop()]);
  });

  it("list, measure and verify only their own threads", async () => {
    expect((await acme.listThreads()).map(({ threadId }) => threadId)).toEqual(["acme:1"]);
    expect(await acme.listThreads({ after: "acme:1" })).toEqual([]);
    expect((await acme.history("acme:1")).head).toBe(ids[0]);
    expect(await acme.history("bolt:1")).toMatchObject({ head: undefined, branches: [] });
    expect((await acme.storage()).threads.map(({ threadId }) => threadId)).toEqual(["acme:1"]);
    expect(await acme.taskStats("bolt:1")).toEqual([]);
    expect(await acme.verify()).toMatchObject({ threads: 1, checkpoints: 4, problems: [] });
  });

  it("get the same error for another tenant's checkpoint as for a missing one", async () => {
    const missing = threadConfig("bolt:none", { checkpoint_id: ids[0] });
    for (const config of [foreign, missing]) {
      const code = "CHECKPOINT_NOT_FOUND";
      await expect(acme.fork(config)).rejects.toMatchObject({ code });
      expect(await acme.writesOf(config)).toEqual([]);
      await expect(acme.diff(config, config)).rejects.toMatchObject({ code });
      await expect(acme.rebuildBlobs(config, {})).rejects.toMatchObject({ code });
    }
  });

  it("fork, roll back and copy their own threads, and can't copy to another tenant", async () => {
    const oldest = threadConfig("acme:1", { checkpoint_id: ids.at(-1) });
    await acme.fork(oldest, { values: { log: ["forked"] } });
    await acme.rollback("acme:1", ids[1] ?? "");
    expect(await acme.copyThread("acme:1", "acme:2")).toMatchObject({ checkpoints: 6 });
    expect((await acme.getTuple(threadConfig("acme:2")))?.checkpoint.channel_values).toEqual({
      log: [2],
      title: ["same"],
    });
    await expect(acme.copyThread("acme:1", "bolt:2")).rejects.toBeInstanceOf(PermissionError);
    expect(await acme.verify()).toMatchObject({ threads: 2, problems: [] });
  });

  it("prune only their own threads, by age, by id and by run", async () => {
    expect(await acme.prune(["bolt:1"])).toMatchObject(NOTHING);
    expect(await acme.prune(["bolt:1"], { strategy: "delete" })).toMatchObject(NOTHING);
    const dry = await acme.prune({ ...EVERYTHING_OLD, dryRun: true });
    expect(dry).toMatchObject({ checkpoints: 3, threads: 1, namespaces: 1 });
    expect(await acme.prune(EVERYTHING_OLD)).toMatchObject({ checkpoints: 3, threads: 1, namespaces: 1 });
    expect(await listIds(acme.list({}))).toEqual([ids[0]]);
    expect((await acme.verify()).problems).toMatchObject([{ kind: "missing-parent", severity: "notice" }]);
    expect(await acme.deleteForRuns([RUN])).toMatchObject({ checkpoints: 1 });
    expect(await acme.listThreads()).toEqual([]);
  });

  it("rebuild lost values from their own writes", async () => {
    await tenancy.asOwner(`
      delete from checkpoint_blobs where thread_id = 'acme:1' and channel = 'log' and version = (
        select max(version collate "C") from checkpoint_blobs where thread_id = 'acme:1' and channel = 'log')`);
    expect((await acme.verify()).problems).toMatchObject([{ threadId: "acme:1", channel: "log" }]);
    const rebuilt = await acme.rebuildBlobs(threadConfig("acme:1"), { log: (_, update) => [update] });
    expect(rebuilt).toMatchObject([{ channel: "log" }]);
    expect((await acme.getTuple(threadConfig("acme:1")))?.checkpoint.channel_values.log).toEqual([3]);
  });

  it("keep only the newest checkpoint with a shallow saver", async () => {
    const shallow = new ShallowPostgresSaver(tenancy.source, undefined, { tenantId: "acme" });
    const put = await putValues(shallow, threadConfig("acme:1"), { log: ["only"] });
    expect(await listIds(acme.list({}))).toEqual([put.checkpoint.id]);
    await expect(putValues(shallow, threadConfig("bolt:1"), { log: [1] })).rejects.toBeInstanceOf(
      PermissionError,
    );
  });
});
