import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import { collect, listIds, metadataOf, nextId, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";

/** A checkpoint as Python's conformance suite creates it. */
function generateCheckpoint(channel_values: Record<string, unknown> = {}): Checkpoint {
  return {
    v: 1,
    id: nextId(),
    ts: new Date().toISOString(),
    channel_values,
    channel_versions: {},
    versions_seen: {},
  };
}

function configIn(thread: string, ns: string, parent?: RunnableConfig): RunnableConfig {
  const parentId: unknown = parent?.configurable?.checkpoint_id;
  return threadConfig(thread, { checkpoint_ns: ns, ...(parent && { checkpoint_id: parentId }) });
}

// The requirements of Python's own conformance suite for these operations. LangGraph.js has no suite for them.
describeAnyTarget("Python's conformance suite", (target) => {
  let saver: PostgresSaver;

  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());

  const tuplesOf = (thread: string, ns = ""): Promise<CheckpointTuple[]> =>
    collect(saver.list(threadConfig(thread, { checkpoint_ns: ns })));
  const idsOf = (thread: string, ns = "") => listIds(saver.list(threadConfig(thread, { checkpoint_ns: ns })));
  const runsOf = async (thread: string, ns = "") =>
    (await tuplesOf(thread, ns)).map(({ metadata }) => (metadata as { run_id?: string }).run_id);

  async function putChain(thread: string, n: number, ns = ""): Promise<RunnableConfig[]> {
    const stored: RunnableConfig[] = [];
    for (let step = 0; step < n; step++) {
      const config = configIn(thread, ns, stored.at(-1));
      stored.push(await saver.put(config, generateCheckpoint(), metadataOf(step), {}));
    }
    return stored;
  }

  describe("prune", () => {
    it("keeps the latest checkpoint of a thread", async () => {
      const thread = randomUUID();
      const configs = await putChain(thread, 4);
      await saver.prune([thread], { strategy: "keep_latest" });
      expect((await tuplesOf(thread)).map(({ config }) => config)).toEqual([configs[3]]);
    });

    it("keeps the latest of each of several threads", async () => {
      const [a, b] = [randomUUID(), randomUUID()];
      const [inA, inB] = [await putChain(a, 3), await putChain(b, 2)];
      await saver.prune([a, b], { strategy: "keep_latest" });
      expect((await tuplesOf(a)).map(({ config }) => config)).toEqual(inA.slice(-1));
      expect((await tuplesOf(b)).map(({ config }) => config)).toEqual(inB.slice(-1));
    });

    it("keeps the latest of each namespace", async () => {
      const thread = randomUUID();
      const [root, child] = [await putChain(thread, 3), await putChain(thread, 2, "child:1")];
      await saver.prune([thread], { strategy: "keep_latest" });
      expect((await tuplesOf(thread)).map(({ config }) => config)).toEqual(root.slice(-1));
      expect((await tuplesOf(thread, "child:1")).map(({ config }) => config)).toEqual(child.slice(-1));
    });

    it("preserves the writes of the latest", async () => {
      const thread = randomUUID();
      const [latest] = (await putChain(thread, 3)).slice(-1);
      await saver.putWrites(latest ?? {}, [["ch", "val"]], randomUUID());
      await saver.prune([thread], { strategy: "keep_latest" });
      const tuple = await saver.getTuple(threadConfig(thread));
      expect(tuple?.pendingWrites).toEqual([[expect.any(String), "ch", "val"]]);
    });

    it("deletes everything on request", async () => {
      const thread = randomUUID();
      await putChain(thread, 3);
      await saver.prune([thread], { strategy: "delete" });
      expect(await tuplesOf(thread)).toEqual([]);
    });

    it("preserves other threads", async () => {
      const [a, b] = [randomUUID(), randomUUID()];
      await putChain(a, 3);
      await putChain(b, 2);
      const before = await idsOf(b);
      await saver.prune([a], { strategy: "keep_latest" });
      expect(await idsOf(b)).toEqual(before);
    });

    it("does nothing for an empty list, and for a thread that is not there", async () => {
      await saver.prune([], { strategy: "keep_latest" });
      await saver.prune([randomUUID()], { strategy: "keep_latest" });
    });
  });

  describe("deleteForRuns", () => {
    async function putRun(thread: string, run_id: string, parent?: RunnableConfig, ns = "") {
      return saver.put(configIn(thread, ns, parent), generateCheckpoint(), metadataOf(0, { run_id }), {});
    }

    it("removes one run", async () => {
      const [thread, run1, run2] = [randomUUID(), randomUUID(), randomUUID()];
      await putRun(thread, run2, await putRun(thread, run1));
      await saver.deleteForRuns([run1]);
      expect(await runsOf(thread)).toEqual([run2]);
    });

    it("removes several runs", async () => {
      const [thread, run1, run2, run3] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      await putRun(thread, run3, await putRun(thread, run2, await putRun(thread, run1)));
      await saver.deleteForRuns([run1, run2]);
      expect(await runsOf(thread)).toEqual([run3]);
    });

    it("preserves other runs", async () => {
      const [thread, kept, deleted] = [randomUUID(), randomUUID(), randomUUID()];
      await putRun(thread, kept);
      await putRun(thread, deleted);
      await saver.deleteForRuns([deleted]);
      expect(await runsOf(thread)).toEqual([kept]);
    });

    it("removes the writes", async () => {
      const [thread, run] = [randomUUID(), randomUUID()];
      const config = await putRun(thread, run);
      await saver.putWrites(config, [["ch", "val"]], randomUUID());
      expect((await saver.getTuple(config))?.pendingWrites).toHaveLength(1);
      await saver.deleteForRuns([run]);
      expect(await saver.getTuple(config)).toBeUndefined();
    });

    it("does nothing for an empty list, and for a run that is not there", async () => {
      await saver.deleteForRuns([]);
      await saver.deleteForRuns([randomUUID()]);
    });

    it("cleans all namespaces", async () => {
      const [thread, run] = [randomUUID(), randomUUID()];
      for (const ns of ["", "child:1"]) await putRun(thread, run, undefined, ns);
      await saver.deleteForRuns([run]);
      for (const ns of ["", "child:1"]) expect(await runsOf(thread, ns)).toEqual([]);
    });
  });

  describe("copyThread", () => {
    /** Like in Python's suite, every checkpoint has another value at the same version. */
    async function putSource(thread: string, n = 3, namespaces = [""]): Promise<RunnableConfig[]> {
      const stored: RunnableConfig[] = [];
      for (const ns of namespaces) {
        let parent: RunnableConfig | undefined;
        for (let step = 0; step < n; step++) {
          const checkpoint = { ...generateCheckpoint({ step }), channel_versions: { step: 1 } };
          parent = await saver.put(configIn(thread, ns, parent), checkpoint, metadataOf(step), { step: 1 });
          stored.push(parent);
        }
      }
      return stored;
    }

    it("copies all checkpoints with their values and metadata, in order, and leaves the source alone", async () => {
      const [source, copy] = [randomUUID(), randomUUID()];
      await putSource(source, 4);
      const before = await tuplesOf(source);
      await saver.copyThread(source, copy);
      const copied = await tuplesOf(copy);
      expect(copied.map(({ checkpoint }) => checkpoint)).toEqual(before.map(({ checkpoint }) => checkpoint));
      expect(copied.map(({ metadata }) => metadata)).toEqual(before.map(({ metadata }) => metadata));
      expect(await tuplesOf(source)).toEqual(before);
    });

    it("copies all namespaces", async () => {
      const [source, copy] = [randomUUID(), randomUUID()];
      await putSource(source, 1, ["", "child:1"]);
      await saver.copyThread(source, copy);
      for (const ns of ["", "child:1"]) expect(await tuplesOf(copy, ns)).toHaveLength(1);
    });

    it("copies pending writes", async () => {
      const [source, copy] = [randomUUID(), randomUUID()];
      const [config] = await putSource(source, 1);
      await saver.putWrites(config ?? {}, [["ch", "write_val"]], randomUUID());
      await saver.copyThread(source, copy);
      const tuple = await saver.getTuple(threadConfig(copy));
      expect(tuple?.pendingWrites).toEqual([[expect.any(String), "ch", "write_val"]]);
    });

    it("leaves nothing behind where there is no source", async () => {
      const copy = randomUUID();
      await Promise.allSettled([saver.copyThread(randomUUID(), copy)]);
      expect(await tuplesOf(copy)).toEqual([]);
    });
  });
});
