import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../model/checkpoint-key.js";
import { checkpointNs, keyText, optionalCheckpointId, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";

// `configurable` holds dozens of other keys, among them functions: whatever is not named here is not looked at.
const target = z.object({
  configurable: z.object({
    thread_id: threadId,
    checkpoint_ns: checkpointNs,
    checkpoint_id: optionalCheckpointId,
  }),
});

// Set by LangGraph where a run begins in the past of a thread: its subgraphs then go back to that time as well.
const putTarget = z.object({
  configurable: target.shape.configurable.extend({ __pregel_replay_state: z.unknown().optional() }),
});

const existing = z.object({
  configurable: z.object({
    thread_id: threadId,
    checkpoint_ns: checkpointNs,
    checkpoint_id: keyText.refine((id) => id !== "", "must not be empty"),
  }),
});

const lookup = z.object({
  configurable: z
    .object({
      thread_id: threadId.nullish(),
      checkpoint_ns: checkpointNs,
      checkpoint_id: optionalCheckpointId,
    })
    .optional(),
});

/** Where a `put` goes: the namespace, and the checkpoint that the new one follows. */
export interface PutTarget extends NamespaceKey {
  readonly parentCheckpointId: string | undefined;
  /** Whether it is part of a run that has gone back into the past, as a fork of its root graph. */
  readonly isReplay: boolean;
}

export function parsePutConfig(config: unknown): PutTarget {
  const { configurable } = parse(putTarget, config, "config");
  return {
    threadId: configurable.thread_id,
    checkpointNs: configurable.checkpoint_ns,
    parentCheckpointId: configurable.checkpoint_id,
    isReplay: (configurable.__pregel_replay_state ?? undefined) !== undefined,
  };
}

/** The checkpoint that `putWrites` attaches to: all of its identity must be there. */
export function parseWritesConfig(config: unknown): CheckpointKey {
  const { configurable } = parse(existing, config, "config");
  return {
    threadId: configurable.thread_id,
    checkpointNs: configurable.checkpoint_ns,
    checkpointId: configurable.checkpoint_id,
  };
}

/** What `getTuple` looks for, or `undefined` when the config names no thread. */
export function parseLookupConfig(config: unknown): (NamespaceKey & Partial<CheckpointKey>) | undefined {
  const { configurable } = parse(lookup, config, "config");
  if (configurable?.thread_id === undefined || configurable.thread_id === null) return undefined;
  const key = { threadId: configurable.thread_id, checkpointNs: configurable.checkpoint_ns };
  return configurable.checkpoint_id === undefined
    ? key
    : { ...key, checkpointId: configurable.checkpoint_id };
}

/** The argument of `deleteThread`. */
export function parseThreadId(value: unknown): string {
  return parse(threadId, value, "threadId");
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Picks the metadata of checkpoints out of the configs of their runs.
 *
 * @param keys - the keys of `config.metadata`, else of `config.configurable`, that are looked at
 * @returns a function from a config to those of its values that are texts, numbers or booleans, as Python stores them
 */
export function metadataPicker(keys: readonly string[]): (config: unknown) => Record<string, unknown> {
  if (keys.length === 0) return () => ({});
  const named = z.object(Object.fromEntries(keys.map((key) => [key, scalar.optional().catch(undefined)])));
  const shape = z.object({ metadata: named.nullish(), configurable: named.nullish() });
  return (config) => {
    const { metadata, configurable } = parse(shape, config, "config");
    const picked = keys.map((key) => [key, metadata?.[key] ?? configurable?.[key]] as const);
    return Object.fromEntries(picked.filter(([, value]) => value !== undefined));
  };
}
