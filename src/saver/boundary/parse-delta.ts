import { TASKS } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../model/checkpoint-key.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { parseLookupConfig } from "./parse-config.js";

/** A checked call of `getDeltaChannelHistory`. */
export interface DeltaRequest {
  /** The target of the walk, or `undefined` when the config names no thread. */
  readonly subject: (NamespaceKey & Partial<CheckpointKey>) | undefined;
  readonly channels: readonly string[];
  /** Whether the channel of sends is asked for, whose values are made up when old checkpoints are read. */
  readonly walksTasks: boolean;
}

const request = z.object({ config: z.unknown(), channels: z.unknown().optional() });
const channelNames = z.array(keyText);

/** What `getDeltaChannelHistory` is asked for. */
export function parseDeltaRequest(options: unknown): DeltaRequest {
  const { config, channels: names } = parse(request, options, "options");
  const channels = [...new Set(parse(channelNames, names, "channels"))];
  return { subject: parseLookupConfig(config), channels, walksTasks: channels.includes(TASKS) };
}
