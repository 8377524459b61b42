import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, onOneServer } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, openTenancy, type Tenancy } from "../tenants/tenancy.js";

onOneServer(NO_ROW_SECURITY, describeEachTarget)("the inspector of a tenant", (target) => {
  let tenancy: Tenancy;
  let bolt: PostgresSaver;
  let calls: InspectorCalls;
  let foreignId: string;
  beforeAll(async () => {
    tenancy = await openTenancy(target, { options: { notify: true, keepTombstones: true } });
    const acme = tenancy.saver("acme");
    bolt = tenancy.saver("bolt");
    calls = new InspectorCalls(acme);
    await putValues(acme, threadConfig("acme:1"), { title: "mine" });
    const foreign = await putValues(bolt, threadConfig("bolt:1"), { title: "theirs" });
    await bolt.putWrites(foreign.config, [["__interrupt__", "?"]], "task");
    await putValues(bolt, threadConfig("bolt:2"), { title: "theirs" });
    await bolt.deleteThread("bolt:2");
    foreignId = foreign.checkpoint.id;
  });
  afterAll(() => tenancy.close());

  it("lists only the tenant's threads", async () => {
    for (const order of ["id", "recent"] as const) {
      const { threads } = await calls.read("threads", { order });
      expect(threads.map(({ threadId }) => threadId)).toEqual(["acme:1"]);
      expect((await calls.read("threads", { order, search: "bolt" })).threads).toEqual([]);
    }
    expect((await calls.read("overview", {})).tenantId).toBe("acme");
  });

  it("shows no size, no history, no tombstone and no event of another tenant's thread", async () => {
    const { bytes } = await calls.read("threadSizes", { threadIds: ["acme:1", "bolt:1"] });
    expect(bytes["acme:1"]).toBeGreaterThan(0);
    expect(bytes["bolt:1"]).toBe(0);
    expect(await calls.read("thread", { threadId: "bolt:1" })).toEqual({
      threadId: "bolt:1",
      namespaces: [],
    });
    expect(await calls.read("thread", { threadId: "bolt:2" })).toEqual({
      threadId: "bolt:2",
      namespaces: [],
    });
    expect((await calls.read("history", { threadId: "bolt:1", namespace: "" })).points).toEqual([]);

    const page = new AbortController();
    const events = await calls.load("events", { threadId: "bolt:1" }, { signal: page.signal });
    const own = await calls.load("events", { threadId: "acme:1" }, { signal: page.signal });
    await putValues(bolt, threadConfig("bolt:1"), { title: "theirs" });
    // The stream of the tenant's own thread has got its first event, so that the other one has had time for its own.
    const reader = own.body?.getReader();
    while (!Buffer.from((await reader?.read())?.value ?? []).includes("acme:1")) continue;
    page.abort();
    expect(await events.text()).not.toContain(foreignId);
  });
});
