import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import type { InspectorAudit, InspectorOptions } from "../../src/inspector/index.js";
import { listIds, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget } from "../../test-support/targets.js";

describeAnyTarget("what the application hears of the actions in the inspector", (target) => {
  let saver: PostgresSaver;
  let events: InspectorAudit[];
  beforeAll(async () => {
    saver = new PostgresSaver((await target.sharedDatabase()).source);
  });
  afterAll(() => saver.end());
  beforeEach(() => {
    events = [];
  });

  function callsWith(options: Partial<InspectorOptions> = {}): InspectorCalls {
    return new InspectorCalls(saver, {
      authorize: () => ({ user: "ada" }),
      write: true,
      audit: (event) => {
        events.push(event);
      },
      ...options,
    });
  }

  async function storedThread(): Promise<string> {
    const threadId = newThread();
    await putValues(saver, threadConfig(threadId), { plan: "A" });
    return threadId;
  }

  it("is told who does what, before it is done and afterwards", async () => {
    const threadId = await storedThread();
    const stored: number[] = [];
    const calls = callsWith({
      audit: async (event) => {
        events.push(event);
        stored.push((await listIds(saver.list(threadConfig(threadId)))).length);
      },
    });
    await calls.write("deleteThread", { threadId });
    const what = { user: "ada", action: "delete", operation: "deleteThread", details: { threadId } };
    expect(events).toEqual([
      { ...what, id: expect.any(String), at: expect.any(Date), phase: "begins" },
      { ...what, id: events[0]?.id, at: expect.any(Date), phase: "done" },
    ]);
    expect(stored).toEqual([1, 0]);
  });

  it("is told why an action failed", async () => {
    const response = await callsWith().post("copyThread", { source: newThread(), target: newThread() });
    expect(response.status).toBe(400);
    expect(events.map(({ phase, action, error }) => [phase, action, error])).toEqual([
      ["begins", "edit", undefined],
      ["failed", "edit", expect.objectContaining({ code: "INVALID_CONFIG" })],
    ]);
  });

  it("prevents what it refuses to hear of", async () => {
    const threadId = await storedThread();
    const calls = callsWith({ audit: () => Promise.reject(new Error("the log is full")) });
    expect((await calls.post("deleteThread", { threadId })).status).toBe(500);
    expect(await listIds(saver.list(threadConfig(threadId)))).toHaveLength(1);
  });

  it("does not undo what is done when it fails afterwards", async () => {
    const threadId = await storedThread();
    const audit: InspectorOptions["audit"] = ({ phase }) => {
      if (phase === "done") throw new Error("the log is full");
    };
    expect((await callsWith({ audit }).post("deleteThread", { threadId })).status).toBe(200);
  });

  it("hears neither of reads nor of what a person may not do", async () => {
    const threadId = await storedThread();
    const authorize: InspectorOptions["authorize"] = (_request, { action }) => action === "read";
    const calls = callsWith({ authorize });
    await calls.read("thread", { threadId });
    expect((await calls.post("deleteThread", { threadId })).status).toBe(403);
    expect(events).toEqual([]);
  });
});
