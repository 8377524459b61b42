import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../src/index.js";
import { nextVersion } from "../src/saver/codec/next-version.js";
import { allVersions, metadataOf, nextId } from "./checkpoints.js";

/** The sources of checkpoints in LangGraph. */
export type Source = "input" | "loop" | "fork" | "update";

/** What checkpoints are put into: a saver or a batch. */
export type Putter = Pick<PostgresSaver, "put">;

/** Creates a checkpoint with one list at a new version, with an id that is larger than all earlier ones. */
export function listCheckpoint(list: unknown[] = ["value"]): Checkpoint {
  return {
    v: 4,
    id: nextId(),
    ts: new Date().toISOString(),
    channel_values: { a: list },
    channel_versions: { a: nextVersion(undefined) },
    versions_seen: {},
  };
}

/** Puts a checkpoint with this `source` as the successor of `config`. */
export function putFrom(
  putter: Putter,
  source: Source,
  config: RunnableConfig,
  checkpoint: Checkpoint = listCheckpoint([source]),
): Promise<RunnableConfig> {
  return putter.put(config, checkpoint, { ...metadataOf(), source }, allVersions(checkpoint));
}

/** Returns the key of the checkpoint that a config names. */
export function idOf({ configurable }: RunnableConfig): unknown {
  return configurable?.checkpoint_id;
}

/** Returns the number of fulfilled promises, and the errors of the rejected ones. */
export async function outcomesOf(
  promises: readonly Promise<unknown>[],
): Promise<{ kept: number; errors: unknown[] }> {
  const outcomes = await Promise.allSettled(promises);
  const errors = outcomes.flatMap((outcome) =>
    outcome.status === "rejected" ? [outcome.reason as unknown] : [],
  );
  return { kept: outcomes.length - errors.length, errors };
}
