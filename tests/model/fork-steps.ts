import { expect } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type CheckpointTuple, compareChannelVersions } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import type { CheckpointSaver } from "../../src/checkpoint-saver.js";
import { bytewise } from "./bytewise.js";
import { codeOf } from "./code-of.js";
import { type At, configAt, id, place, scalar, sometimes, type Step, structure, tell } from "./histories.js";
import { timeIn } from "./ids.js";
import { placeOf } from "./place.js";
import type { ReferenceSaver } from "./reference-saver.js";

interface Fork extends At {
  /** The newest where it is undefined. */
  readonly id: string | undefined;
  readonly values: Readonly<Record<string, unknown>> | undefined;
  /** The same by the other call, which has no values and insists on being the newest. */
  readonly isRollback: boolean;
}

/** The model makes the same checkpoint under the id, the time and the version that the saver has given it. */
class ForkStep implements Step {
  readonly #fork: Fork;

  constructor(fork: Fork) {
    this.#fork = fork;
  }

  check(): boolean {
    return true;
  }

  async run(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
    const target = await model.getTuple(configAt(this.#fork, model.idOf(this.#fork.id)));
    const head = await model.getTuple(configAt(this.#fork));
    const refusal = this.#refusal(target, head);
    const made = await codeOf(this.#make(saver, model.idOf(this.#fork.id)));
    if (refusal !== undefined || target === undefined || head === undefined || typeof made === "string") {
      expect(made).toBe(refusal);
      return;
    }
    const { thread_id, checkpoint_ns, checkpoint_id: newId = "" } = placeOf(made);
    expect({ thread_id, checkpoint_ns }).toEqual({
      thread_id: this.#fork.thread,
      checkpoint_ns: this.#fork.ns ?? "",
    });
    if (canBeFollowed(head)) expect(bytewise([newId], [head.checkpoint.id])).toBeGreaterThan(0);
    model.noteFork(newId);
    const stored = await saver.getTuple(made);
    await this.#makeIn(model, target, newId, stored);
    expect(stored).toStrictEqual(await model.getTuple(made));
  }

  toString(): string {
    return tell(this.#fork.isRollback ? "rollback" : "fork", this.#fork);
  }

  #refusal(target: CheckpointTuple | undefined, head: CheckpointTuple | undefined): string | undefined {
    if (target === undefined || head === undefined) return "CHECKPOINT_NOT_FOUND";
    return this.#fork.isRollback && !canBeFollowed(head) ? "INVALID_CONFIG" : undefined;
  }

  #make(saver: CheckpointSaver, id: string | undefined): Promise<RunnableConfig> {
    const { thread, ns, values, isRollback } = this.#fork;
    const options = ns === undefined ? {} : { checkpointNs: ns };
    if (isRollback && id !== undefined) return saver.rollback(thread, id, options);
    return saver.fork(configAt(this.#fork, id), values && { values });
  }

  async #makeIn(
    model: ReferenceSaver,
    target: CheckpointTuple,
    newId: string,
    stored: CheckpointTuple | undefined,
  ): Promise<void> {
    const { checkpoint, metadata, config } = target;
    const values = this.#fork.values ?? {};
    const { channel_versions = {}, ts = "" } = stored?.checkpoint ?? {};
    // One that was not kept has versions that nobody reads.
    const versionOf = (channel: string) => channel_versions[channel] ?? "new";
    const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, versionOf(channel)]));
    if (stored !== undefined) {
      for (const version of Object.values(versions)) {
        for (const old of Object.values(checkpoint.channel_versions))
          expect(compareChannelVersions(version, old)).toBeGreaterThan(0);
      }
    }
    await model.put(
      config,
      {
        ...checkpoint,
        id: newId,
        ts,
        channel_values: { ...checkpoint.channel_values, ...values },
        channel_versions: { ...checkpoint.channel_versions, ...versions },
      },
      {
        ...carriedMetadata(metadata),
        source: "fork",
        step: (metadata?.step ?? -1) + 1,
        parents: metadata?.parents ?? {},
      },
      versions,
    );
  }
}

/** All but the run that made the target: a fork is not of that run. */
function carriedMetadata(metadata: CheckpointTuple["metadata"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => key !== "run_id"));
}

/** Whether an id that is made today can come after it. */
function canBeFollowed({ checkpoint: { id: newest } }: CheckpointTuple): boolean {
  return timeIn(newest) !== undefined || newest === "10";
}

export const forkStep: fc.Arbitrary<Step> = fc
  .oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        ...place,
        id: sometimes(id),
        values: sometimes(fc.record({ log: structure, n: scalar, extra: structure }, { requiredKeys: [] })),
        isRollback: fc.constant(false),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ ...place, id, values: fc.constant(undefined), isRollback: fc.constant(true) }),
    },
  )
  .map((fork) => new ForkStep(fork));
