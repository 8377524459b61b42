import { z } from "zod";
import { InvalidConfigError, type Damage } from "../../errors/index.js";
import { type TupleSelection, WHOLE_TUPLE } from "../model/tuple-shape.js";
import { keyText, optionalCheckpointId, recordOf, threadId, checkpointNs } from "../../parsing/keys.js";
import { parse, functionSchema } from "../../parsing/parse.js";
import {
  type StaleReadOptions,
  staleReadOptions,
  parseStaleReadOptions,
} from "../../parsing/parse-call-options.js";
import type { ListScope } from "../queries/list-scope.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { TASKS } from "@langchain/langgraph-checkpoint";
import type { CheckpointKey, NamespaceKey } from "../model/keys.js";
import { parseLookupConfig } from "./parse-config.js";
import type { ChannelValuesKey } from "../queries/get-channel-values.js";

/** The parts of a checkpoint that a read returns. The database does not send the other parts. */
export interface ReadOptions extends StaleReadOptions {
  /**
   * `false` reads only the header and the metadata: `channel_values` is empty, and pending writes are read only with
   * `writes: true`. Default `true`.
   */
  readonly values?: boolean | undefined;
  /** The channels whose values are read. Default: all. */
  readonly channels?: readonly string[] | undefined;
  /** `false` omits the pending writes: the tuple has no `pendingWrites`. Default `true`. */
  readonly writes?: boolean | undefined;
}

/** The options of every read. */
export const readOptions = staleReadOptions.extend({
  values: z.boolean().optional(),
  channels: z.array(keyText).readonly().optional(),
  writes: z.boolean().optional(),
});

/** What to read of one checkpoint. */
export interface ReadRequest {
  readonly selection: TupleSelection;
  /** Whether a run may continue from what is read: all parts of it, and none of them stale. */
  readonly mayContinue: boolean;
}

/** Parses how a checkpoint is read. A channel that does not exist is no error. */
export function parseRead(options: unknown): ReadRequest {
  if (options === undefined || options === null) return { selection: WHOLE_TUPLE, mayContinue: true };
  const parsed = parse(readOptions, options, "options");
  const selection = toSelection(parsed);
  const isWhole = selection.channels === undefined && selection.writes;
  return { selection, mayContinue: isWhole && parsed.staleReads !== true };
}

export function toSelection({
  values = true,
  channels,
  writes = values,
}: z.output<typeof readOptions>): TupleSelection {
  if (!values && channels !== undefined) {
    throw new InvalidConfigError("options.channels", "must not be given together with values: false");
  }
  return { channels: values ? channels : [], writes };
}

// LangGraph passes `undefined` for no thread. An empty text or `null` is a mistake, and must not list all threads.
const scope = z.object({
  configurable: z
    .object({
      thread_id: threadId.optional(),
      checkpoint_ns: keyText.nullish().transform((ns) => ns ?? undefined),
      checkpoint_id: optionalCheckpointId,
    })
    .optional(),
});

const listOptions = readOptions.extend({
  limit: z.number().int().min(0).optional(),
  before: z.object({ configurable: z.object({ checkpoint_id: optionalCheckpointId }).optional() }).optional(),
  filter: recordOf(z.string(), z.unknown()).optional(),
});

/** The parsed arguments of `list`. */
export interface ListRequest {
  readonly scope: ListScope;
  readonly selection: TupleSelection;
  /** The largest number of checkpoints, or `undefined` for no limit. */
  readonly limit: number | undefined;
}

/** Parses the arguments of `list`. It lists all threads only where the config names none; an empty thread id is refused. */
export function parseListRequest(config: unknown, options: unknown): ListRequest {
  const { configurable } = parse(scope, config ?? {}, "config");
  const { limit, before, filter, ...selection } = parse(listOptions, options ?? {}, "options");
  const asked = encodeFilter(filter, "options.filter");
  return {
    scope: {
      threadId: configurable?.thread_id,
      checkpointNs: configurable?.checkpoint_ns,
      checkpointId: configurable?.checkpoint_id,
      before: before?.configurable?.checkpoint_id,
      filter: asked?.contained,
      unlike: asked?.notContained,
    },
    selection: toSelection(selection),
    limit,
  };
}

/** The parsed arguments of `getDeltaChannelHistory`. */
export interface DeltaRequest {
  /** The checkpoint whose ancestors are read, or `undefined` where the config names no thread. */
  readonly subject: (NamespaceKey & Partial<CheckpointKey>) | undefined;
  readonly channels: readonly string[];
  /** Whether the channel of sends is among the channels. Old checkpoints have no value of it: reading them creates one. */
  readonly walksTasks: boolean;
}

const deltaOptions = z.object({ config: z.unknown(), channels: z.unknown().optional() });
const channelNames = z.array(keyText);

/** Parses the argument of `getDeltaChannelHistory`. */
export function parseDeltaRequest(options: unknown): DeltaRequest {
  const { config, channels: names } = parse(deltaOptions, options, "options");
  const channels = [...new Set(parse(channelNames, names, "channels"))];
  return { subject: parseLookupConfig(config), channels, walksTasks: channels.includes(TASKS) };
}

/** The value that `getChannelValues` reads of each thread. */
export interface ChannelValuesRequest {
  /** The ids of the threads. A thread that does not exist is no error. */
  readonly threadIds: readonly (string | number)[];
  readonly channel: string;
  /** The namespace. Default `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
  /** Called with each value that can't be read, whose thread the result lacks. Default: the first one ends the call. */
  readonly onDamaged?: ((damage: Damage) => void) | undefined;
}

const valuesRequest = z.strictObject({
  ...{ threadIds: z.array(threadId), channel: keyText, checkpointNs },
  onDamaged: functionSchema<(damage: Damage) => void>().optional(),
});

/** Parses the arguments of `getChannelValues`. A thread that is named twice is read once. */
export function parseChannelValuesRequest(
  value: unknown,
  options: unknown,
): ChannelValuesKey & Pick<ChannelValuesRequest, "onDamaged"> {
  parseStaleReadOptions(options);
  const { threadIds, ...rest } = parse(valuesRequest, value, "request");
  return { ...rest, threadIds: [...new Set(threadIds)] };
}
