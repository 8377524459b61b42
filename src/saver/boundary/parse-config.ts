import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../model/keys.js";
import { THREAD_TTL_KEY } from "../model/thread-ttl.js";
import { checkpointNs, keyText, optionalCheckpointId, storedThreadId, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

// `configurable` holds dozens of other keys, some of them functions. Keys that are not named here are ignored.
const target = z.object({
  configurable: z.object({
    thread_id: threadId,
    checkpoint_ns: checkpointNs,
    checkpoint_id: optionalCheckpointId,
  }),
});

// LangGraph sets it where a run starts from a past checkpoint. The subgraphs of the run then start from that time as well.
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

/** The target of a `put`: the namespace, and the parent of the new checkpoint. */
export interface PutTarget extends NamespaceKey {
  readonly parentCheckpointId: string | undefined;
  /** Whether the put belongs to a run that started from a past checkpoint. */
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

/** Parses the key of the checkpoint that `putWrites` attaches writes to. It must be complete. */
export function parseWritesConfig(config: unknown): CheckpointKey {
  const { configurable } = parse(existing, config, "config");
  return {
    threadId: configurable.thread_id,
    checkpointNs: configurable.checkpoint_ns,
    checkpointId: configurable.checkpoint_id,
  };
}

/** Parses the key that `getTuple` looks up. Returns `undefined` where the config names no thread. */
export function parseLookupConfig(config: unknown): (NamespaceKey & Partial<CheckpointKey>) | undefined {
  const { configurable } = parse(lookup, config, "config");
  if (configurable?.thread_id === undefined || configurable.thread_id === null) return undefined;
  const key = { threadId: configurable.thread_id, checkpointNs: configurable.checkpoint_ns };
  return configurable.checkpoint_id === undefined
    ? key
    : { ...key, checkpointId: configurable.checkpoint_id };
}

/** Parses the argument of `deleteThread`. */
export function parseThreadId(value: unknown): string {
  return parse(storedThreadId, value, "threadId");
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * Creates a function that picks metadata out of the config of a run: the time to live of its thread, and more.
 *
 * @param keys - Keys of `config.metadata`, or else of `config.configurable`.
 * @returns A function that maps a config to its values for these keys. It ignores values that are not text, numbers or booleans,
 *   as Python's saver does. It throws an InvalidConfigError for what is no time to live, which would never delete the thread.
 */
export function metadataPicker(keys: readonly string[]): (config: unknown) => Record<string, unknown> {
  const scalars = Object.fromEntries(keys.map((key) => [key, scalar.optional().catch(undefined)]));
  const kinds: Record<string, z.ZodType> = { ...scalars, [THREAD_TTL_KEY]: z.number().min(0).nullish() };
  const named = z.object(kinds);
  const allKeys = [...new Set([...keys, THREAD_TTL_KEY])];
  const part = z.preprocess((given) => (typeof given === "object" ? given : undefined), named.nullish());
  const shape = z.object({ metadata: part, configurable: part });
  return (config) => {
    const { metadata, configurable } = parse(shape, config, "config");
    const picked = allKeys.map((key) => [key, metadata?.[key] ?? configurable?.[key]] as const);
    return Object.fromEntries(picked.filter(([, value]) => value !== undefined && value !== null));
  };
}

/** Returns the config that names a checkpoint, with exactly the keys that LangGraph passes on. */
export function configOf({
  threadId,
  checkpointNs,
  checkpointId,
}: CheckpointKey): Required<Pick<CheckpointTuple["config"], "configurable">> {
  return { configurable: { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId } };
}
