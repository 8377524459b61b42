import type { RunnableConfig } from "@langchain/core/runnables";
import fc from "fast-check";
import type { PostgresSaver } from "../../src/index.js";
import { metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { idAt } from "../retention/id-at.js";

/** A checkpoint of a thread that continues the newest one or an earlier one, and the writes of its super-step. */
export interface Step {
  readonly thread: "a" | "b" | "c/ü";
  /** The root graph, a graph with one namespace for all calls, or a call of a subgraph. */
  readonly ns: "" | "sub" | "call:1f0a2c9e-0000-4000-8000-000000000000";
  /** Which checkpoint is continued, counted from the newest, which is 1. */
  readonly back: number;
  /** Whether the delta channel gets a write, a whole value, or nothing. */
  readonly delta: "nothing" | "write" | "whole";
  /** Whether the list grows, so that its value becomes a splice. */
  readonly list: boolean;
  readonly scalar: boolean;
  /** Whether a task has written beside the new checkpoint. */
  readonly pending: boolean;
}

export const anyStep: fc.Arbitrary<Step> = fc.record({
  thread: fc.constantFrom("a", "a", "b", "c/ü"),
  ns: fc.constantFrom("", "", "", "sub", "call:1f0a2c9e-0000-4000-8000-000000000000"),
  back: fc.constantFrom(1, 1, 1, 2),
  delta: fc.constantFrom("write", "write", "nothing", "whole"),
  list: fc.boolean(),
  scalar: fc.boolean(),
  pending: fc.boolean(),
});

interface Node {
  readonly id: string;
  readonly versions: Readonly<Record<string, number>>;
  readonly values: {
    readonly list?: readonly string[];
    readonly delta?: readonly string[];
    readonly scalar?: number;
  };
}

/** Long enough that what follows it becomes a splice. */
const PREAMBLE = "A line of a conversation that is long enough to be worth a splice. ".repeat(70);

/** Stores steps as LangGraph does. Checkpoints are years old, and no two values ever have the same version. */
export class RandomThreads {
  readonly #saver: PostgresSaver;
  readonly #nodes = new Map<string, Node[]>();
  #steps = 0;
  #version = 0;

  constructor(saver: PostgresSaver) {
    this.#saver = saver;
  }

  /** Begins all threads anew. */
  reset(): void {
    this.#nodes.clear();
  }

  async add({ thread, ns, back, delta, list, scalar, pending }: Step): Promise<void> {
    const n = this.#steps++;
    const parent = await this.#storedNode(thread, ns, back);
    const at = (id: string): RunnableConfig => threadConfig(thread, { checkpoint_ns: ns, checkpoint_id: id });
    if (parent !== undefined && delta === "write") {
      await this.#saver.putWrites(at(parent.id), [["delta", [`delta ${n}`]]], `task ${n}`);
    }
    const { delta: whole, ...carried } = parent?.values ?? {};
    const added = {
      ...(list && { list: [...(carried.list ?? [PREAMBLE]), `line ${n}`] }),
      ...(delta === "whole" && { delta: [`all ${n}`] }),
      ...(scalar && { scalar: n }),
    };
    // After a write, a delta channel has no value until the next whole one.
    const values = {
      ...(delta === "nothing" && whole !== undefined && { delta: whole }),
      ...carried,
      ...added,
    };
    const changed = [...Object.keys(added), ...(delta === "write" ? ["delta"] : [])];
    const newVersions = Object.fromEntries(changed.map((channel) => [channel, ++this.#version]));
    const versions = { ...parent?.versions, ...newVersions };
    const id = idAt(Date.UTC(2020, 0, 1) + n * 1_000);
    const checkpoint = {
      ...{ v: 4, id, ts: "2020-01-01T00:00:00.000Z", versions_seen: {} },
      channel_values: values,
      channel_versions: versions,
    };
    const metadata = metadataOf(n, parent ? {} : { counters_since_delta_snapshot: { delta: [1, 1] } });
    const base = parent ? at(parent.id) : threadConfig(thread, { checkpoint_ns: ns });
    await this.#saver.put(base, checkpoint, metadata, newVersions);
    if (pending) await this.#saver.putWrites(at(id), [["list", [`pending ${n}`]]], `later ${n}`);
    const key = `${thread} ${ns}`;
    this.#nodes.set(key, [...(this.#nodes.get(key) ?? []), { id, versions, values }]);
  }

  /** A checkpoint that is still stored. */
  async #storedNode(thread: string, ns: string, back: number): Promise<Node | undefined> {
    const nodes = this.#nodes.get(`${thread} ${ns}`) ?? [];
    const node = nodes.at(-Math.min(back, nodes.length));
    for (const each of node === undefined ? [] : [node, ...nodes.slice(-1)]) {
      const config = threadConfig(thread, { checkpoint_ns: ns, checkpoint_id: each.id });
      if ((await this.#saver.getTuple(config, { values: false, writes: false })) !== undefined) return each;
    }
    return undefined;
  }
}
