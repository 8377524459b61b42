import type { RunnableConfig } from "@langchain/core/runnables";
import { type Checkpoint, DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import type pg from "pg";
import { allVersions, checkpointOf, metadataOf, nextId } from "../../test-support/checkpoints.js";
import { OFFICIAL, OURS, type Saver, SPLICED } from "../subjects.js";
import type { History } from "./histories.js";

export const CHANNEL = "state";

/** The number of steps after which LangGraph stores the whole value of a delta channel, by default. */
const SNAPSHOT_EVERY = 100;

/** A way to store the history of a channel. */
export interface Storer {
  readonly id: "whole" | "spliced" | "official" | "delta";
  readonly title: string;
  readonly open: (pool: pg.Pool) => Saver;
  /** Whether it stores writes, and the whole value only now and then. */
  readonly isDelta: boolean;
}

/** A checkpoint that was stored. */
export interface StoredStep {
  readonly config: RunnableConfig;
  readonly checkpoint?: Checkpoint;
}

export const STORERS: readonly Storer[] = [
  { id: "whole", title: "this library", open: OURS.open, isDelta: false },
  { id: "spliced", title: "with `splices`", open: SPLICED.open, isDelta: false },
  { id: "official", title: "official", open: OFFICIAL.open, isDelta: false },
  { id: "delta", title: "a delta channel", open: OURS.open, isDelta: true },
];

/**
 * Prepares a step, untimed.
 *
 * @returns What stores it. LangGraph stores the writes of every task, but only a delta channel needs them for its value.
 */
export function prepareStep(
  { isDelta }: Storer,
  saver: Saver,
  last: StoredStep,
  step: number,
  { value, write }: ReturnType<History["at"]>,
): () => Promise<StoredStep> {
  const stored = isDelta ? new DeltaSnapshot(value) : value;
  const checkpoint = checkpointOf(saver, { [CHANNEL]: stored }, last.checkpoint);
  const versions = allVersions(checkpoint);
  const hasValue = !isDelta || step % SNAPSHOT_EVERY === 0;
  if (!hasValue) checkpoint.channel_values = {};
  return async () => {
    if (!hasValue) await saver.putWrites(last.config, [[CHANNEL, write]], nextId());
    return { checkpoint, config: await saver.put(last.config, checkpoint, metadataOf(step), versions) };
  };
}

/** Reads the newest checkpoint with the whole value, or what rebuilds it. */
export async function readNewest({ isDelta }: Storer, saver: Saver, thread: RunnableConfig): Promise<void> {
  const tuple = await saver.getTuple(thread);
  if (tuple === undefined) throw new Error("no checkpoint");
  if (isDelta) await saver.getDeltaChannelHistory({ config: tuple.config, channels: [CHANNEL] });
}

/** Lists the first checkpoints. A delta channel is not rebuilt. */
export async function listFirst(saver: Saver, thread: RunnableConfig, limit: number): Promise<void> {
  let listed = 0;
  for await (const tuple of saver.list(thread, { limit })) if (tuple.checkpoint.id !== "") listed++;
  if (listed !== limit) throw new Error(`${listed} checkpoints instead of ${limit}`);
}
