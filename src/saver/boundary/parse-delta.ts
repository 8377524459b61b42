import { TASKS } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../checkpoint-key.js";
import { keyText } from "./keys.js";
import { parse } from "./parse.js";
import { parseLookupConfig } from "./parse-config.js";

/** A checked call of `getDeltaChannelHistory`. */
export interface DeltaRequest {
  /** The target of the walk, or `undefined` when the config names no thread. */
  readonly key: (NamespaceKey & Partial<CheckpointKey>) | undefined;
  readonly channels: readonly string[];
  /** Whether the channel of sends is asked for, whose values are made up when old checkpoints are read. */
  readonly walksTasks: boolean;
}

const channelNames = z.array(keyText);

/** What `getDeltaChannelHistory` is asked for. */
export function parseDeltaRequest(options: {
  readonly config: unknown;
  readonly channels: unknown;
}): DeltaRequest {
  const channels = [...new Set(parse(channelNames, options.channels, "channels"))];
  return { key: parseLookupConfig(options.config), channels, walksTasks: channels.includes(TASKS) };
}
