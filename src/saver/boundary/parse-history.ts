import { z } from "zod";
import type { NamespaceKey } from "../checkpoint-key.js";
import { checkpointNs, threadId } from "./keys.js";
import { abortSignal } from "./parse-call-options.js";
import { parse } from "./parse.js";

const options = z.strictObject({ signal: abortSignal.nullish(), checkpointNs }).prefault({});

/** The namespace that `history` is asked for. */
export function parseHistory(thread: unknown, given: unknown): NamespaceKey {
  const { checkpointNs } = parse(options, given, "options");
  return { threadId: parse(threadId, thread, "threadId"), checkpointNs };
}
