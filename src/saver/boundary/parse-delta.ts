import { TASKS } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CheckpointKey, NamespaceKey } from "../model/checkpoint-key.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { parseLookupConfig } from "./parse-config.js";

/** The parsed arguments of `getDeltaChannelHistory`. */
export interface DeltaRequest {
  /** The checkpoint whose ancestors are read, or `undefined` where the config names no thread. */
  readonly subject: (NamespaceKey & Partial<CheckpointKey>) | undefined;
  readonly channels: readonly string[];
  /** Whether the channel of sends is among the channels. Old checkpoints have no value of it: reading them creates one. */
  readonly walksTasks: boolean;
}

const request = z.object({ config: z.unknown(), channels: z.unknown().optional() });
const channelNames = z.array(keyText);

/** Parses the argument of `getDeltaChannelHistory`. */
export function parseDeltaRequest(options: unknown): DeltaRequest {
  const { config, channels: names } = parse(request, options, "options");
  const channels = [...new Set(parse(channelNames, names, "channels"))];
  return { subject: parseLookupConfig(config), channels, walksTasks: channels.includes(TASKS) };
}
