import { z } from "zod";
import type { WatchedScope } from "../queries/watch/new-checkpoints.js";
import { keyText, threadId } from "./keys.js";
import { abortSignal } from "./parse-call-options.js";
import { parse } from "./parse.js";

const watchOptions = z
  .strictObject({
    checkpointNs: keyText.optional(),
    signal: abortSignal.optional(),
  })
  .optional();

/** A checked call of `watch`. */
export interface WatchRequest extends WatchedScope {
  readonly signal: AbortSignal | undefined;
}

/** The arguments of `watch`. */
export function parseWatch(thread: unknown, options: unknown): WatchRequest {
  const { checkpointNs, signal } = parse(watchOptions, options, "options") ?? {};
  return { threadId: parse(threadId, thread, "threadId"), checkpointNs, signal };
}
