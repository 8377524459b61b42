import { once } from "node:events";
import { expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { AbortError, PostgresSaver } from "../../src/index.js";
import { Gate } from "../../test-support/gate.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { CALLS } from "./bounded/calls.js";
import { rejectionOf } from "./bounded/hung-statements.js";

const ABORTED = AbortSignal.abort(new Error("the run was aborted"));

describeEachTarget("the signal of a run", (target) => {
  async function openStored() {
    const { source } = await target.sharedDatabase();
    const saver = new PostgresSaver(source);
    return { saver, ...(await putValues(saver, threadConfig("stored"), { a: ["kept"] })) };
  }

  it.each(CALLS.filter(({ reads }) => reads))("ends $what", async ({ call }) => {
    const stored = await openStored();
    const error = await rejectionOf(call(stored, undefined, { ...stored.config, signal: ABORTED }));
    expect(error).toBeInstanceOf(AbortError);
    await stored.saver.end();
  });

  it.each(CALLS.filter(({ reads }) => !reads))("does not end $what", async ({ call }) => {
    const stored = await openStored();
    await call(stored, undefined, { ...stored.config, signal: ABORTED });
    await stored.saver.end();
  });

  it.each([
    ["text", "aborted"],
    ["an object like a signal", { aborted: true }],
    ["an object of its prototype", Object.create(AbortSignal.prototype) as unknown],
    ["null", null],
  ])("is ignored where it is none but %s", async (_what, signal) => {
    const { saver, config } = await openStored();
    const foreign = { ...config, signal } as RunnableConfig;
    expect((await saver.getTuple(foreign))?.checkpoint.channel_values).toEqual({ a: ["kept"] });
    await saver.end();
  });

  it("gives way to the signal of the call", async () => {
    const { saver, config } = await openStored();
    const { signal } = new AbortController();
    expect(await saver.getTuple({ ...config, signal: ABORTED }, { signal })).toBeDefined();
    await saver.end();
  });

  it("lets an aborted run finish its writes", async () => {
    const { source } = await target.sharedDatabase();
    const saver = new PostgresSaver(source);
    const begun = new Gate();
    const State = new StateSchema({ done: z.array(z.string()).default([]) });
    const graph = new StateGraph(State)
      .addNode("first", () => ({ done: ["first"] }))
      .addNode("second", async (_state, { signal }) => {
        begun.open();
        await once(signal, "abort");
        return { done: ["second"] };
      })
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", END)
      .compile({ checkpointer: saver });
    const controller = new AbortController();
    const config = threadConfig("run");
    const run = rejectionOf(graph.invoke({}, { ...config, signal: controller.signal, durability: "sync" }));
    await begun.opened;
    controller.abort();
    expect(await run).toBeInstanceOf(Error);
    const state = await graph.getState(config);
    expect(state.values).toEqual({ done: ["first"] });
    expect(state.next).toEqual(["second"]);
    await saver.end();
  });
});
