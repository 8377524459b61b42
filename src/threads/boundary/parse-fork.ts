import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { ChannelReducer, ChannelReducers } from "../../saver/model/channel-reducers.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import { functionSchema, parse } from "../../parsing/parse.js";
import { checkpointNs, keyText, recordOf, threadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parsePutConfig } from "../../saver/boundary/parse-config.js";

const reducers = recordOf(keyText, functionSchema<ChannelReducer>()).default({});

const forkOptions = z
  .strictObject({
    signal: abortSignal.nullish(),
    values: recordOf(keyText, z.unknown()).default({}),
    reducers,
  })
  .prefault({});

const rollbackOptions = z
  .strictObject({ signal: abortSignal.nullish(), checkpointNs, reducers })
  .prefault({});

const checkpointId = keyText.refine((id) => id !== "", "must not be empty");

/** The parsed arguments of `fork` or `rollback`. */
export interface ForkRequest {
  /** The checkpoint to fork; without an id the newest of the namespace. */
  readonly subject: NamespaceKey & Partial<CheckpointKey>;
  readonly values: Readonly<Record<string, unknown>>;
  readonly reducers: ChannelReducers;
  /** Whether the new checkpoint must become the head of its namespace. */
  readonly becomesHead: boolean;
}

/** Parses the arguments of `fork`. */
export function parseFork(config: unknown, options: unknown): ForkRequest {
  const { threadId: thread, checkpointNs: ns, parentCheckpointId } = parsePutConfig(config);
  const { values, reducers: given } = parse(forkOptions, options, "options");
  const undefinedChannel = Object.keys(values).find((channel) => values[channel] === undefined);
  if (undefinedChannel !== undefined)
    throw new InvalidConfigError(`options.values.${undefinedChannel}`, "must not be undefined");
  const target = { threadId: thread, checkpointNs: ns };
  return {
    subject: parentCheckpointId === undefined ? target : { ...target, checkpointId: parentCheckpointId },
    values,
    reducers: given,
    becomesHead: false,
  };
}

/** Parses the arguments of `rollback`. */
export function parseRollback(thread: unknown, checkpoint: unknown, options: unknown): ForkRequest {
  const { checkpointNs: ns, reducers: given } = parse(rollbackOptions, options, "options");
  return {
    subject: {
      threadId: parse(threadId, thread, "threadId"),
      checkpointNs: ns,
      checkpointId: parse(checkpointId, checkpoint, "checkpointId"),
    },
    values: {},
    reducers: given,
    becomesHead: true,
  };
}
