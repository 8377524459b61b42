import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { PermissionError, PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy, rowsOfOthers, TABLES, type Tenancy } from "./tenancy.js";

const UNSET = [null, ""];

onOneServer(NO_ROW_SECURITY, describeAnyTarget)("tenants with row-level security", (target) => {
  let tenancy: Tenancy;
  let acme: PostgresSaver;
  let bolt: PostgresSaver;
  let own: { config: RunnableConfig; checkpoint: Checkpoint };
  let foreign: { config: RunnableConfig; checkpoint: Checkpoint };
  let before: unknown;

  beforeAll(async () => {
    tenancy = await openTenancy(target);
    acme = tenancy.saver("acme");
    bolt = tenancy.saver("bolt");
  });
  afterAll(() => tenancy.close());

  beforeEach(async () => {
    for (const table of TABLES) await tenancy.asOwner(`truncate ${table}`);
    own = await putValues(acme, threadConfig("acme:1"), { title: "mine", log: [1] });
    foreign = await putValues(bolt, threadConfig("bolt:1"), { title: "theirs", log: [2] });
    foreign = await putValues(bolt, foreign.config, { title: "theirs", log: [3] }, foreign.checkpoint);
    await bolt.putWrites(foreign.config, [["log", 4]], "task");
    await bolt.putWrites(foreign.config, [["__interrupt__", 5]], "task");
    before = await rowsOfOthers(tenancy, "acme");
  });

  // After every test the other tenant's rows are unchanged, and no connection has a tenant set.
  afterEach(async () => {
    expect(await rowsOfOthers(tenancy, "acme")).toEqual(before);
    for (const setting of await tenancy.settings()) expect(UNSET).toContain(setting);
  });

  async function refused(call: Promise<unknown>): Promise<PermissionError> {
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PermissionError);
    return error as PermissionError;
  }

  it("can make every call on their own threads", async () => {
    await acme.putWrites(own.config, [["log", 2]], "task");
    await acme.put(own.config, { ...own.checkpoint }, metadataOf(1), {});
    const tuple = await acme.getTuple(threadConfig("acme:1"));
    expect(tuple?.checkpoint.channel_values).toEqual({ title: "mine", log: [1] });
    expect(tuple?.pendingWrites).toEqual([["task", "log", 2]]);
    const batched = checkpointOf(acme, { title: "batched" });
    await acme.batch(async (batch) => {
      await batch.deleteThread("acme:1");
      await batch.put(threadConfig("acme:2"), batched, metadataOf(), allVersions(batched));
    });
    expect(await listIds(acme.list({}))).toEqual([batched.id]);
    await acme.deleteThread("acme:2");
    expect(await collect(acme.list({}))).toEqual([]);
  });

  it("can't read each other's threads with any call", async () => {
    const latest = threadConfig("bolt:1");
    for (const options of [{}, { values: false }, { writes: false }, { channels: ["log"] }]) {
      expect(await acme.getTuple(latest, options)).toBeUndefined();
      expect(await acme.getTuple(foreign.config, options)).toBeUndefined();
      expect(await collect(acme.list(latest, options))).toEqual([]);
      expect(await collect(acme.list(foreign.config, options))).toEqual([]);
    }
    const titles = await acme.getChannelValues({ threadIds: ["bolt:1", "acme:1"], channel: "title" });
    expect(titles).toEqual(new Map([["acme:1", "mine"]]));
    const history = await acme.getDeltaChannelHistory({ config: foreign.config, channels: ["log"] });
    expect(history).toEqual({ log: { writes: [] } });
  });

  it("list only their own threads: all, by namespace, by filter, and before a checkpoint", async () => {
    const filter = { source: "loop" };
    for (const [config, options] of [
      [{}, {}],
      [{}, { filter }],
      [{}, { limit: 10 }],
      [{ configurable: { checkpoint_ns: "" } }, { filter }],
      [{}, { before: foreign.config }],
    ] as const) {
      expect(await listIds(acme.list(config, options))).toEqual([own.checkpoint.id]);
    }
    expect(await collect(bolt.list({}))).toHaveLength(2);
  });

  it("can't write to each other's threads, whether these exist or not", async () => {
    const { config, checkpoint } = foreign;
    const forged = checkpointOf(acme, { title: "forged", log: [6] });
    const put = (thread: RunnableConfig, what: Checkpoint) =>
      acme.put(thread, what, metadataOf(7), allVersions(what));
    const existing = await refused(put(threadConfig("bolt:1"), forged));
    const missing = await refused(put(threadConfig("bolt:none"), forged));
    expect(existing.message.replace("bolt:1", "bolt:none")).toBe(missing.message);
    await refused(put(config, checkpoint));
    await refused(acme.put(config, checkpoint, metadataOf(7), {}));
    await refused(acme.putWrites(config, [["log", 7]], "task"));
    await refused(acme.putWrites(config, [["__interrupt__", 7]], "task"));
    await refused(acme.putWrites(config, [["log", 7]], "another task"));
  });

  it("store nothing of a batch with a call on another tenant's thread", async () => {
    const mine = checkpointOf(acme, { title: "batched" });
    for (const deletes of [false, true]) {
      const batched = acme.batch(async (batch) => {
        if (deletes) await batch.deleteThread("acme:1");
        await batch.put(threadConfig("acme:2"), mine, metadataOf(), allVersions(mine));
        await batch.putWrites(foreign.config, [["log", 7]], "task");
      });
      await refused(batched);
    }
    expect(await listIds(acme.list({}))).toEqual([own.checkpoint.id]);
  });

  it("are told which thread they may not write, and which threads they may", async () => {
    const { config, checkpoint } = foreign;
    const lines: string[] = [];
    for await (const line of bolt.exportThreads()) lines.push(line);
    const keeping = new PostgresSaver(tenancy.source, undefined, { tenantId: "acme", keepTombstones: true });
    const mine = checkpointOf(acme, {});
    const calls = {
      put: () => acme.put(config, checkpoint, metadataOf(7), {}),
      putWrites: () => acme.putWrites(config, [["log", 7]], "task"),
      batch: () =>
        acme.batch(async (batch) => {
          await batch.put(threadConfig("acme:2"), mine, metadataOf(), allVersions(mine));
          await batch.putWrites(config, [["log", 7]], "task");
        }),
      deleteThread: () => keeping.deleteThread("bolt:1"),
      copyThread: () => acme.copyThread("acme:1", "bolt:1"),
      importThreads: () => acme.importThreads(lines),
    };
    const rule =
      'thread "bolt:1": the tenant "acme" may only write threads whose ids begin with "acme:" (docs/tenants.md';
    for (const [what, call] of Object.entries(calls)) {
      const error = await refused(call());
      expect([what, error.message, error.threadId, error.sqlState]).toEqual([
        what,
        expect.stringContaining(rule),
        "bolt:1",
        "42501",
      ]);
    }
    const nobody = await refused(putValues(tenancy.saver(), threadConfig("acme:1"), {}));
    expect(nobody.message).toContain(
      'thread "acme:1": the call has no tenantId, and a tenant may only write threads',
    );
  });

  it("can't delete each other's threads, and can't detect whether they exist", async () => {
    await acme.deleteThread("bolt:1");
    await acme.deleteThread("bolt:none");
    await acme.batch((batch) => batch.deleteThread("bolt:1"));
    const keeping = new PostgresSaver(tenancy.source, undefined, { tenantId: "acme", keepTombstones: true });
    const existing = await refused(keeping.deleteThread("bolt:1"));
    const missing = await refused(keeping.deleteThread("bolt:none"));
    expect(existing.message.replace("bolt:1", "bolt:none")).toBe(missing.message);
    expect(await collect(bolt.list({}))).toHaveLength(2);
  });

  it.each(["acme:1", ":", "acme:", "acm", "acmee", "ACME", "%", "acme;", "'", "none"])(
    "can't read or write with a tenant id that nobody has: %j",
    async (tenantId) => {
      const nobody = tenancy.saver(tenantId);
      expect(await collect(nobody.list({}))).toEqual([]);
      expect(await nobody.getTuple(own.config)).toBeUndefined();
      await refused(putValues(nobody, threadConfig("acme:1"), { title: "forged" }));
      await refused(putValues(nobody, threadConfig("acme:1:1"), { title: "forged" }));
    },
  );

  it("see nothing without a tenant, also on a connection that has had one", async () => {
    const nobody = tenancy.saver();
    expect(await collect(nobody.list({}))).toEqual([]);
    expect(await nobody.getTuple(own.config)).toBeUndefined();
    for (const thread of ["acme:1", ":1", "1"]) {
      await refused(putValues(nobody, threadConfig(thread), { title: "forged" }));
    }
  });

  it.each(["acme", "acme;", "acmee:1", "1", ":acme:1", " acme:1"])(
    "can't write a thread whose id does not begin with the tenant id and a colon: %j",
    async (thread) => {
      await refused(putValues(acme, threadConfig(thread), { title: "mine" }));
    },
  );

  it.each(["acme:", "acme:a:b", "acme:;", "acme:\u{10ffff}", "acme:bolt:1"])(
    "can write every thread whose id does: %j",
    async (thread) => {
      await putValues(acme, threadConfig(thread), { title: "mine" });
      expect((await acme.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({
        title: "mine",
      });
      expect(await bolt.getTuple(threadConfig(thread))).toBeUndefined();
    },
  );
});
