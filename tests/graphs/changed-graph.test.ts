import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import fc from "fast-check";
import { PostgresSaver, type PostgresSaverOptions, type Problem } from "../../src/index.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const append = (current: string[], added: string[]): string[] => [...current, ...added];
const log = () => Annotation<string[]>({ reducer: append, default: () => [] });

/** The state that only the newer graph knows: every kind of small value, and larger ones. */
const carried = {
  text: "gold",
  number: 5,
  float: 0.5,
  yes: true,
  none: null,
  object: { name: "Q" },
  long: "x".repeat(5_000),
  surrogate: "\ud800",
};
type Carried = typeof carried;

function newerGraph() {
  const Known = Annotation.Root({
    log: log(),
    text: Annotation<Carried["text"]>(),
    number: Annotation<Carried["number"]>(),
    float: Annotation<Carried["float"]>(),
    yes: Annotation<Carried["yes"]>(),
    none: Annotation<Carried["none"]>(),
    object: Annotation<Carried["object"]>(),
    long: Annotation<Carried["long"]>(),
    surrogate: Annotation<Carried["surrogate"]>(),
  });
  return new StateGraph(Known)
    .addNode("reply", ({ text }) => ({ log: ["newer"], ...(text !== carried.text && carried) }))
    .addNode("after", () => ({ log: ["after"] }))
    .addEdge(START, "reply")
    .addEdge("reply", "after");
}

const olderGraph = () =>
  new StateGraph(Annotation.Root({ log: log() }))
    .addNode("reply", () => ({ log: ["older"] }))
    .addEdge(START, "reply");

async function errorsOf(saver: PostgresSaver, thread: string): Promise<Problem[]> {
  const { problems } = await saver.verify(thread);
  return problems.filter(({ severity }) => severity === "error");
}

const SAVERS: [name: string, options: PostgresSaverOptions][] = [
  ["a default saver", {}],
  ["a saver with splices", { splices: true }],
  ["a saver with keepLast", { keepLast: 2 }],
  ["a shallow saver", { keepLast: 1 }],
];

describeAnyTarget("a graph without a channel that a newer version has", (target) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.sharedDatabase();
  });

  describe.each(SAVERS)("on %s", (_name, options) => {
    let saver: PostgresSaver;
    beforeAll(() => {
      saver = new PostgresSaver(database.source, undefined, options);
    });
    afterAll(() => saver.end());

    it("keeps all values of the channel, however many steps it makes between prunes and copies", async () => {
      const [older, newer] = [
        olderGraph().compile({ checkpointer: saver }),
        newerGraph().compile({ checkpointer: saver }),
      ];
      const step = fc.constantFrom("older", "older", "newer", "update", "prune", "copy");
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
          let thread = newThread();
          await newer.invoke({ log: ["in"] }, threadConfig(thread));
          for (const kind of steps) {
            const config = threadConfig(thread);
            if (kind === "older") await older.invoke({ log: ["in"] }, config);
            if (kind === "newer") await newer.invoke({ log: ["in"] }, config);
            if (kind === "update") await older.updateState(config, { log: ["update"] }, "reply");
            if (kind === "prune") await saver.prune([thread]);
            if (kind === "copy") await saver.copyThread(thread, (thread = newThread()));
          }
          expect((await newer.getState(threadConfig(thread))).values).toMatchObject(carried);
          expect(await errorsOf(saver, thread)).toEqual([]);
        }),
        runs(6),
      );
    });

    it("keeps a node that waits in a step of the newer version", async () => {
      const newer = newerGraph().compile({ checkpointer: saver, interruptBefore: ["after"] });
      const config = threadConfig(newThread());
      await newer.invoke({ log: ["in"] }, config);
      await olderGraph()
        .compile({ checkpointer: saver })
        .updateState(config, { log: ["update"] }, "reply");
      expect((await newer.getState(config)).next).toEqual(["after"]);
    });
  });

  // A saver that keeps one checkpoint has no ancestors.
  describe.each(SAVERS.slice(0, -1))("after Python's saver on the thread of %s", (_name, options) => {
    let saver: PostgresSaver;
    beforeAll(() => {
      saver = new PostgresSaver(database.source, undefined, options);
    });
    afterAll(() => saver.end());

    it("finds the values that Python has dropped in the headers of ancestors, also after a prune", async () => {
      const older = olderGraph().compile({ checkpointer: saver });
      const newer = newerGraph().compile({ checkpointer: saver });
      const thread = newThread();
      const config = threadConfig(thread);
      await newer.invoke({ log: ["in"] }, config);
      const update = await older.updateState(config, { log: ["update"] }, "reply");
      await database.query(
        `update checkpoints set checkpoint = checkpoint - 'channel_values' where thread_id = $1 and checkpoint_id = $2`,
        [thread, update.configurable?.checkpoint_id],
      );
      expect((await newer.getState(config)).values).toMatchObject(carried);
      const [newest] = await collect(saver.list(config));
      expect(newest?.checkpoint.channel_values).toMatchObject(carried);
      expect(await saver.getTuple(config)).toEqual(newest);
      expect(await errorsOf(saver, thread)).toEqual([]);
      await saver.prune([thread]);
      await older.updateState(config, { log: ["update"] }, "reply");
      expect((await newer.getState(config)).values).toMatchObject(carried);
    });
  });
});
