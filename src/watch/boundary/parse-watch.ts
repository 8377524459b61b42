import { z } from "zod";
import type { WatchedScope } from "../queries/watched-scope.js";
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

/** A call of `watch`, before its arguments are checked. */
export interface WatchCall {
  readonly threadId: unknown;
  readonly options: unknown;
}

/** A checked call of `watch`. */
export interface WatchRequest extends WatchedScope {
  /** Yields checkpoints with larger ids first; `undefined` to start now. */
  readonly after: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Checks the arguments of `watch`. */
export function parseWatch(thread: unknown, options: unknown): WatchRequest {
  const { checkpointNs, after, signal } = parse(watchOptions, options, "options") ?? {};
  return { threadId: parse(threadId, thread, "threadId"), checkpointNs, after, signal };
}
