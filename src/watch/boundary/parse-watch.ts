import { z } from "zod";
import type { WatchedScope } from "../queries/new-checkpoints.js";
import { keyText, threadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

const watchOptions = z
  .strictObject({
    checkpointNs: keyText.optional(),
    after: keyText.optional(),
    signal: abortSignal.optional(),
  })
  .optional();

/** A checked call of `watch`. */
export interface WatchRequest extends WatchedScope {
  /** The id of the checkpoint that it goes on from; `undefined` where it begins now. */
  readonly after: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The arguments of `watch`. */
export function parseWatch(thread: unknown, options: unknown): WatchRequest {
  const { checkpointNs, after, signal } = parse(watchOptions, options, "options") ?? {};
  return { threadId: parse(threadId, thread, "threadId"), checkpointNs, after, signal };
}
