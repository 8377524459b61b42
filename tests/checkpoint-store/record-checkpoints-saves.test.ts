import { describe, expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import {
  type ExecutionCheckpoint,
  MemoryCheckpointStore,
  recordCheckpoints,
  type SaveOptions,
} from "../../src/checkpoint-store/index.js";
import { until } from "../../test-support/until.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
const INPUT = { log: [] };

/** A store that notes its saves, and waits or fails before each of them if the test says so. */
class WatchedStore extends MemoryCheckpointStore {
  readonly events: string[] = [];
  before: (nodeName: string) => Promise<void> | void = () => undefined;

  override async save(checkpoint: ExecutionCheckpoint, options?: SaveOptions): Promise<void> {
    this.events.push(`saving ${checkpoint.nodeName}`);
    await this.before(checkpoint.nodeName);
    await super.save(checkpoint, options);
    this.events.push(`saved ${checkpoint.nodeName}`);
  }
}

/** A graph of the nodes a, b and c, which note in the events of the store that they begin. */
function rowOf(store: WatchedStore, during: (name: string) => Promise<void> | void = () => undefined) {
  const node = (name: string) => async () => {
    store.events.push(`began ${name}`);
    await during(name);
    return { log: [name] };
  };
  return new StateGraph(State)
    .addNode("a", node("a"))
    .addNode("b", node("b"))
    .addNode("c", node("c"))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile();
}

function failAt(name: string) {
  return (node: string) => {
    if (node === name) throw new Error(`${name} failed`);
  };
}

const namesOf = (checkpoints: readonly ExecutionCheckpoint[]) => checkpoints.map(({ nodeName }) => nodeName);

describe("autoSave", () => {
  it("stores a super-step before the next one begins and before its chunk is passed on, however long that takes", async () => {
    const store = new WatchedStore();
    store.before = () => new Promise((resolve) => setImmediate(resolve));
    const recorded = recordCheckpoints(rowOf(store), { store });
    for await (const { log } of await recorded.stream(INPUT, { streamMode: "values" })) {
      if (log.length > 0) expect(store.events).toContain(`saved ${log.at(-1)}`);
    }
    expect(store.events).toEqual([
      ...["began a", "saving a", "saved a"],
      ...["began b", "saving b", "saved b"],
      ...["began c", "saving c", "saved c"],
    ]);
  });

  it("ends the run with the error of a failed save, and begins no further node", async () => {
    const store = new WatchedStore();
    store.before = failAt("b");
    const recorded = recordCheckpoints(rowOf(store), { store });
    await expect(recorded.invoke(INPUT)).rejects.toThrow(new Error("b failed"));
    expect(store.events).toEqual(["began a", "saving a", "saved a", "began b", "saving b"]);
    const stream = await recorded.stream(INPUT, { streamMode: "values" });
    await expect(async () => {
      for await (const { log } of stream) expect(log).not.toContain("b");
    }).rejects.toThrow(new Error("b failed"));
  });

  it("tells onError of each failed save, and continues", async () => {
    const store = new WatchedStore();
    store.before = failAt("b");
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const recorded = recordCheckpoints(rowOf(store), { store, onError });
    expect(await recorded.invoke(INPUT)).toEqual({ log: ["a", "b", "c"] });
    expect(errors).toEqual([new Error("b failed")]);
    expect((await recorded.listCheckpoints()).map(({ nodeName, version }) => [nodeName, version])).toEqual([
      ["a", 1],
      ["c", 2],
    ]);
    const throws = recordCheckpoints(rowOf(store), { store, onError: failAtAny });
    await expect(throws.invoke(INPUT)).rejects.toThrow("from onError");
  });

  it("ends the run when its reader stops", async () => {
    const store = new WatchedStore();
    const recorded = recordCheckpoints(rowOf(store), { store });
    for await (const { log } of await recorded.stream(INPUT, { streamMode: "values" })) {
      if (log.includes("a")) break;
    }
    expect(namesOf(await recorded.listCheckpoints())).toContain("a");
    expect(store.events).not.toContain("began c");
  });

  it("keeps the saves of a run, of another run and by hand apart and in order", async () => {
    const store = new WatchedStore();
    store.before = () => new Promise((resolve) => setImmediate(resolve));
    const recorded = recordCheckpoints(rowOf(store), { store, maxCheckpoints: 0 });
    await Promise.all([
      recorded.invoke(INPUT),
      recorded.invoke(INPUT),
      recorded.saveCheckpoint("hand", INPUT),
      recorded.updateState("human", { log: ["x"] }),
    ]);
    const saves = store.events.filter((event) => !event.startsWith("began"));
    for (let n = 0; n < saves.length; n += 2) {
      expect(saves[n + 1]).toBe(saves[n]?.replace("saving", "saved"));
    }
    const versions = (await recorded.listCheckpoints()).map(({ version }) => version);
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("lists the checkpoints in the order of their saves even if the clock is set back", async () => {
    const store = new WatchedStore();
    const recorded = recordCheckpoints(rowOf(store), { store });
    const late = new Date(Date.now() + 3_600_000);
    const ahead = await recorded.saveCheckpoint("ahead", INPUT);
    await store.save({ ...ahead, timestamp: late });
    await recorded.invoke(INPUT);
    expect(namesOf(await recorded.listCheckpoints())).toEqual(["ahead", "a", "b", "c"]);
  });
});

describe("without autoSave", () => {
  it("a run within the interval stores its last state, once", async () => {
    const store = new WatchedStore();
    const recorded = recordCheckpoints(rowOf(store), { store, autoSave: false });
    await recorded.invoke(INPUT);
    expect(await recorded.listCheckpoints()).toMatchObject([
      { nodeName: "c", version: 1, state: { log: ["a", "b", "c"] } },
    ]);
  });

  it("a run stores its state after the interval, although a node still runs", async () => {
    const store = new WatchedStore();
    const graph = rowOf(store, async (name) => {
      if (name === "c") await until(() => store.events.includes("saved b"));
    });
    const recorded = recordCheckpoints(graph, { store, autoSave: false, saveIntervalMs: 100 });
    await recorded.invoke(INPUT);
    expect(namesOf(await recorded.listCheckpoints()).slice(-2)).toEqual(["b", "c"]);
  });

  it("a run that fails or is interrupted stores the last state before", async () => {
    const store = new WatchedStore();
    const graph = rowOf(store, failAt("c"));
    const failing = recordCheckpoints(graph, { store, autoSave: false });
    await expect(failing.invoke(INPUT)).rejects.toThrow("c failed");
    expect(namesOf(await failing.listCheckpoints())).toEqual(["b"]);
    const stopped = recordCheckpoints(graph, { store, autoSave: false });
    await stopped.invoke(INPUT, { interruptAfter: ["a"] });
    expect(namesOf(await stopped.listCheckpoints())).toEqual(["a"]);
    const aborted = recordCheckpoints(graph, { store, autoSave: false });
    const controller = new AbortController();
    const stream = await aborted.stream(INPUT, { streamMode: "values", signal: controller.signal });
    await expect(async () => {
      for await (const { log } of stream) if (log.length === 1) controller.abort();
    }).rejects.toThrow();
    expect(await aborted.listCheckpoints()).toHaveLength(1);
  });

  it("a run whose reader stops stores its last state before the loop ends", async () => {
    const store = new WatchedStore();
    const recorded = recordCheckpoints(rowOf(store), { store, autoSave: false });
    for await (const { log } of await recorded.stream(INPUT, { streamMode: "values" })) {
      if (log.includes("b")) break;
    }
    const [checkpoint, ...others] = await recorded.listCheckpoints();
    expect(others).toEqual([]);
    expect(checkpoint?.state.log).toEqual(expect.arrayContaining(["a", "b"]));
  });

  it("a run that fails, and whose last state can't be saved either, throws both errors", async () => {
    const store = new WatchedStore();
    store.before = failAt("b");
    const recorded = recordCheckpoints(rowOf(store, failAt("c")), { store, autoSave: false });
    const error: unknown = await recorded.invoke(INPUT).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AggregateError);
    expect(error).toMatchObject({ errors: [{ message: "c failed" }, { message: "b failed" }] });
  });
});

function failAtAny(): void {
  throw new Error("from onError");
}
