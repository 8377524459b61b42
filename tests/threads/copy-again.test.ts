import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from "@langchain/langgraph";
import fc from "fast-check";
import { copyThreads, PostgresSaver } from "../../src/index.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { historyOf } from "../graphs/support/history.js";
import { anySourceStep, contentOf, RandomSource, ReplacingSaver } from "./random-source.js";

describeEachTarget("copyThreads at any moments", (target) => {
  const opened: PostgresSaver[] = [];
  const open = async (): Promise<(keepLast?: number) => PostgresSaver> => {
    const { source } = await target.migratedDatabase();
    return (keepLast) => {
      const saver = new PostgresSaver(source, undefined, { keepLast });
      opened.push(saver);
      return saver;
    };
  };
  let sources: Record<string, () => BaseCheckpointSaver>;
  let targets: Record<"all" | "the newest two", readonly [again: PostgresSaver, once: PostgresSaver]>;
  beforeAll(async () => {
    const [source, again, once] = [await open(), await open(), await open()];
    const own = source();
    sources = {
      "a MemorySaver": () => new MemorySaver(),
      "a saver that replaces writes": () => new ReplacingSaver(),
      "a PostgresSaver": () => own,
    };
    targets = { all: [again(), once()], "the newest two": [again(2), once(2)] };
  });
  afterAll(() => Promise.all(opened.map((saver) => saver.end())));

  it.each([
    ["a MemorySaver", "all", 40],
    ["a saver that replaces writes", "all", 10],
    ["a PostgresSaver", "all", 10],
    ["a MemorySaver", "the newest two", 10],
  ] as const)(
    "ends with what one copy at the end gives: from %s, into a target that keeps %s",
    async (from, kept, n) => {
      const [again, once] = targets[kept];
      const steps = fc.array(anySourceStep, { minLength: 4, maxLength: 24, size: "max" });
      const property = fc.asyncProperty(steps, async (history) => {
        const saver = sources[from]?.() ?? new MemorySaver();
        const thread = newThread();
        const source = new RandomSource(saver, thread);
        for (const step of [...history, { kind: "copy" } as const]) {
          if (step.kind === "copy") await copyThreads(saver, again, { threads: [thread] });
          else await source.add(step);
        }
        await copyThreads(saver, once, { threads: [thread] });
        expect(await contentOf(again, thread)).toEqual(await contentOf(once, thread));
      });
      // The same rows decide on PGlite, which takes as long for a tenth of the runs.
      await fc.assert(property, runs(target.name === "pglite" ? n / 10 : n));
    },
  );

  describe("by example", () => {
    let memory: MemorySaver;
    let again: PostgresSaver;
    beforeEach(() => {
      memory = new MemorySaver();
      [again] = targets.all;
    });

    /** Parallel tasks of which one waits for an answer, and then one that asks twice. */
    function asking(checkpointer: BaseCheckpointSaver) {
      const State = Annotation.Root({
        log: new DeltaChannel<string[], string[]>((log, writes) => [...log, ...writes.flat()]),
      });
      return new StateGraph(State)
        .addNode("a", () => ({ log: ["a"] }))
        .addNode("b", () => ({ log: [`b: ${String(interrupt("ok?"))}`] }))
        .addNode("c", () => ({ log: ["c"] }))
        .addNode("d", () => ({ log: [`d: ${String(interrupt("first?"))} ${String(interrupt("second?"))}`] }))
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge(START, "c")
        .addEdge(["a", "b", "c"], "d")
        .compile({ checkpointer });
    }

    const ANSWERS = ["yes", "one", "two"];

    async function expectSame(
      source: BaseCheckpointSaver,
      copy: BaseCheckpointSaver,
      config: RunnableConfig,
    ) {
      const [expected, actual] = [source, copy].map((saver) => historyOf(asking(saver), config));
      expect(await actual).toEqual(await expected);
    }

    it("brings each answer on a checkpoint with another branch", async () => {
      const config = threadConfig(newThread());
      const graph = asking(memory);
      await graph.invoke({ log: ["in"] }, config);
      const asked = await graph.getState(config);
      await graph.updateState(asked.config, { log: ["draft"] }, "c");
      for (const [n, answer] of ANSWERS.entries()) {
        await copyThreads(memory, again);
        await expectSame(memory, again, config);
        await graph.invoke(new Command({ resume: answer }), n === 0 ? asked.config : config);
      }
      await copyThreads(memory, again);
      await expectSame(memory, again, config);
    });

    it("into a MemorySaver, whose tasks keep their order", async () => {
      const config = threadConfig(newThread());
      const copy = new MemorySaver();
      await asking(memory).invoke({ log: ["in"] }, config);
      for (const answer of ANSWERS) {
        await copyThreads(memory, copy);
        await asking(memory).invoke(new Command({ resume: answer }), config);
      }
      await copyThreads(memory, copy);
      await expectSame(memory, copy, config);
    });

    it("keeps what the target has stored by itself", async () => {
      const config = threadConfig(newThread());
      await asking(memory).invoke({ log: ["in"] }, config);
      await copyThreads(memory, again);
      await asking(again).invoke(new Command({ resume: "here" }), config);
      const own = await asking(again).getState(config);
      await asking(memory).invoke(new Command({ resume: "there" }), config);
      const report = await copyThreads(memory, again);
      expect(report).toMatchObject({ checkpoints: 1, skipped: 2 });
      const kept = await asking(again).getState(own.config);
      expect(kept.values).toEqual(own.values);
      expect(kept.values).toEqual({ log: ["in", "a", "b: here", "c"] });
    });

    it("reads each side once, and stores nothing, where nothing is new", async () => {
      const config = threadConfig(newThread());
      await asking(memory).invoke({ log: ["in"] }, config);
      await copyThreads(memory, again);
      const calls: string[] = [];
      const watched = (saver: BaseCheckpointSaver) =>
        new Proxy(saver, {
          get(on, name) {
            const member: unknown = Reflect.get(on, name, on);
            if (typeof member !== "function") return member;
            return (...args: unknown[]) => {
              calls.push(String(name));
              return Reflect.apply(member, on, args) as unknown;
            };
          },
        });
      await copyThreads(watched(memory), watched(again));
      expect(calls.filter((name) => name !== "getNextVersion").sort()).toEqual(["list", "list", "list"]);
    });
  });
});
