import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointTuple,
  DeltaSnapshot,
  ERROR,
  INTERRUPT,
  MemorySaver,
  type PendingWrite,
  RESUME,
  SCHEDULED,
  TASKS,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  threadConfig,
} from "../../test-support/checkpoints.js";

const NAMESPACES = ["", "", "", "node:1"] as const;
const CHANNELS = ["delta", "plan", "delta", TASKS, INTERRUPT, RESUME, ERROR, SCHEDULED] as const;

/** Their paths sort otherwise than their ids. The last is the id under which LangGraph stores answers. */
const TASK_IDS = [
  ["c", "~__pregel_pull, a"],
  ["a", "~__pregel_pull, b"],
  ["d", "~__pregel_push, 1"],
  ["b", "~__pregel_push, 2"],
  ["00000000-0000-0000-0000-000000000000", ""],
] as const;

/** What happens to the source, or that it is copied. `back` counts checkpoints of the namespace from the newest one. */
export type SourceStep =
  | { readonly kind: "copy" }
  | { readonly kind: "put"; readonly ns: string; readonly back: number; readonly changed: readonly string[] }
  | {
      readonly kind: "write";
      readonly ns: string;
      readonly back: number;
      readonly task: number;
      readonly channels: readonly string[];
    };

const place = { ns: fc.constantFrom(...NAMESPACES), back: fc.constantFrom(0, 0, 0, 1, 2, 3) };

/** A put, a call of `putWrites` on any earlier checkpoint, or a copy. */
export const anySourceStep: fc.Arbitrary<SourceStep> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ kind: "copy" } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      ...place,
      // `delta` is a snapshot, and otherwise has no value in the checkpoint.
      changed: fc.subarray(["plan", "facts", "delta"]),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      ...place,
      task: fc.nat({ max: TASK_IDS.length - 1 }),
      channels: fc.array(fc.constantFrom(...CHANNELS), { minLength: 1, maxLength: 3 }),
    }),
  },
);

/** Stores random checkpoints and writes in a saver of any kind, as LangGraph does. */
export class RandomSource {
  readonly #saver: BaseCheckpointSaver;
  readonly #thread: string;
  readonly #stored = new Map<string, Checkpoint[]>();
  #count = 0;

  constructor(saver: BaseCheckpointSaver, thread: string) {
    this.#saver = saver;
    this.#thread = thread;
  }

  async add(step: Exclude<SourceStep, { readonly kind: "copy" }>): Promise<void> {
    const stored = this.#stored.get(step.ns) ?? [];
    const parent = stored.at(-1 - Math.min(step.back, stored.length - 1));
    const config = threadConfig(this.#thread, {
      checkpoint_ns: step.ns,
      ...(parent && { checkpoint_id: parent.id }),
    });
    if (step.kind === "write") {
      if (parent !== undefined) await this.#write(config, step.task, step.channels);
      return;
    }
    const n = this.#count++;
    const values = Object.fromEntries(
      step.changed.map((channel) => [
        channel,
        channel === "delta" ? new DeltaSnapshot([`all ${n}`]) : { value: `${channel} ${n}` },
      ]),
    );
    const checkpoint = checkpointOf(this.#saver, values, parent);
    const { delta: _, ...carried } = parent?.channel_values ?? {};
    const whole = { ...checkpoint, channel_values: { ...carried, ...values } };
    await this.#saver.put(config, whole, metadataOf(n), allVersions(checkpoint));
    this.#stored.set(step.ns, [...stored, whole]);
  }

  async #write(config: RunnableConfig, task: number, channels: readonly string[]): Promise<void> {
    const [taskId, path] = TASK_IDS[task] ?? TASK_IDS[0];
    const writes = channels.map((channel): PendingWrite => [channel, [`${channel} ${this.#count++}`]]);
    await this.#saver.putWrites(config, writes, taskId, path);
  }
}

/** As `SqliteSaver` does, it replaces all writes at the same position, and orders them by task. */
export class ReplacingSaver extends MemorySaver {
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
    const stored = this.writes[JSON.stringify([thread_id, checkpoint_ns, checkpoint_id])] ?? {};
    for (const [index, [channel]] of writes.entries()) {
      Reflect.deleteProperty(stored, `${taskId},${WRITES_IDX_MAP[channel] ?? index}`);
    }
    await super.putWrites(config, writes, taskId);
  }
}

/** All that a saver returns of a thread. */
export async function contentOf(saver: BaseCheckpointSaver, thread: string): Promise<unknown[]> {
  const tuples = await collect(saver.list(threadConfig(thread)));
  const all = tuples.map(async (tuple: CheckpointTuple) => ({
    ...tuple,
    delta: await saver.getDeltaChannelHistory({ config: tuple.config, channels: ["delta"] }),
  }));
  return Promise.all(all);
}
