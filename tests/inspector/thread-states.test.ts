import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Annotation, Command, interrupt, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import type { ThreadStatus } from "../../src/inspector/api/threads.js";
import { openDatabase } from "../../src/db/index.js";
import { createOptionalIndexes } from "../../src/migrations/index.js";
import { metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const State = Annotation.Root({ plan: Annotation<string>, tries: Annotation<number> });

/** Asks twice, and fails where the plan is bad. */
function approvalGraph(checkpointer: PostgresSaver) {
  return new StateGraph(State)
    .addNode("ask", ({ plan }) => {
      if (plan === "bad") throw new RangeError("the plan is bad");
      const first: unknown = interrupt({ question: `May I do ${plan}?` });
      const second: unknown = interrupt("Are you sure?");
      return { plan: `${plan}: ${String(first)}, ${String(second)}` };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer });
}

describeAnyTarget("threads by what they wait for", (target) => {
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    calls = new InspectorCalls(saver);
    const graph = approvalGraph(saver);
    const start = (id: string, plan: string) => graph.invoke({ plan }, threadConfig(id));
    const answer = (id: string) => graph.invoke(new Command({ resume: "yes" }), threadConfig(id));
    await start("a waits", "A");
    await start("b waits again", "B");
    await answer("b waits again");
    await start("c is done", "C");
    await answer("c is done");
    await answer("c is done");
    await expect(start("d failed", "bad")).rejects.toThrow("the plan is bad");
    // A task that failed at first, and then wrote its output, while another one is still to run.
    const stopped = await putValues(saver, threadConfig("e was stopped"), { "branch:to:next": null });
    await saver.putWrites(stopped.config, [["__error__", { message: "once" }]], "task 1");
    await saver.putWrites(stopped.config, [["plan", "E"]], "task 1");
    // What a thread asked before its newest checkpoint is no question any more, also where nobody has answered.
    const past = await putValues(saver, threadConfig("f went on"), { plan: "F" });
    await saver.putWrites(past.config, [["__interrupt__", [{ id: "1", value: "?" }]]], "task 1");
    await saver.put(past.config, past.checkpoint, metadataOf(), {});
    await putValues(saver, past.config, { plan: "F2" }, past.checkpoint);
  });
  afterAll(() => saver.end());

  const EXPECTED: Readonly<Record<ThreadStatus, readonly string[]>> = {
    interrupted: ["a waits", "b waits again"],
    failed: ["d failed"],
    pending: ["e was stopped"],
    done: ["c is done", "f went on"],
  };
  const STATES = ["interrupted", "failed", "pending", "done"] as const;

  describe.each([
    ["without an index", () => Promise.resolve()],
    [
      "with the index",
      async () => {
        const { kysely } = openDatabase(database.source);
        await createOptionalIndexes(kysely, { indexes: ["waiting-index"] });
        await kysely.destroy();
      },
    ],
  ])("%s", (_name, prepare) => {
    beforeAll(() => prepare());

    it.each(STATES)("lists those that are %s, with what they ask or why they failed", async (state) => {
      const { threads } = await calls.read("threads", { state, order: "recent" });
      expect(threads.map(({ threadId }) => threadId).sort()).toEqual(EXPECTED[state]);
      expect(new Set(threads.map(({ status }) => status))).toEqual(new Set([state]));
    });

    it("counts them", async () => {
      expect(await calls.read("threadCounts", {})).toEqual({
        counts: { interrupted: 2, failed: 1, pending: 1, done: 2 },
        counted: ["failed", "interrupted", "pending", "done"],
        looked: 6,
      });
    });

    it("shows the question, and the error", async () => {
      const shown = async (state: ThreadStatus) =>
        (await calls.read("threads", { state, order: "recent" })).threads.map(({ open }) => open);
      expect((await shown("interrupted")).map((open) => open?.text)).toEqual(
        expect.arrayContaining(["May I do A?", "Are you sure?"]),
      );
      expect(await shown("failed")).toEqual([
        expect.objectContaining({ node: "ask", kind: "error", text: "RangeError: the plan is bad" }),
      ]);
    });

    it("follows the cursor, and obeys the other conditions", async () => {
      const ids = async (query: object) =>
        (await calls.read("threads", { state: "interrupted", order: "recent", ...query })).threads.map(
          ({ threadId }) => threadId,
        );
      const first = await calls.read("threads", { state: "interrupted", order: "recent", limit: 1 });
      expect(first.threads.map(({ threadId }) => threadId)).toEqual(["b waits again"]);
      const second = await calls.read("threads", {
        state: "interrupted",
        order: "recent",
        after: first.next,
      });
      expect([second.threads.map(({ threadId }) => threadId), second.next]).toEqual([["a waits"], undefined]);
      expect(await ids({ search: "AGAIN" })).toEqual(["b waits again"]);
      expect(await ids({ filter: { source: "loop" } })).toHaveLength(2);
      expect(await ids({ filter: { source: "update" } })).toEqual([]);
      expect(await ids({ before: 1 })).toEqual([]);
      expect(await ids({ before: Date.now() + 60_000 })).toHaveLength(2);
    });
  });

  it("suggests the metadata that most threads have", async () => {
    const { suggestions } = await calls.read("metadataSuggestions", {});
    expect(suggestions.find(({ name }) => name === "source")).toEqual({ name: "source", values: ["loop"] });
    expect(suggestions.find(({ name }) => name === "step")?.values).toEqual(expect.arrayContaining([0, 1]));
  });

  it("lists those that wait for longest first, with the index", async () => {
    const page = await calls.read("threads", { state: "interrupted", order: "oldest", limit: 1 });
    expect(page.threads.map(({ threadId }) => threadId)).toEqual(["a waits"]);
    const rest = await calls.read("threads", { state: "interrupted", order: "oldest", after: page.next });
    expect(rest.threads.map(({ threadId }) => threadId)).toEqual(["b waits again"]);
    expect(rest.next).toBeUndefined();
  });
});
