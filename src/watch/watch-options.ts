import { type CallOptions, abortSignal } from "../parsing/parse-call-options.js";
import { z } from "zod";
import type { WatchedScope } from "./watched-checkpoints.js";
import { keyText, threadId } from "../parsing/keys.js";
import { parse } from "../parsing/parse.js";

/** Options of `watch`. */
export interface WatchOptions extends CallOptions {
  /** Only this namespace; `""` is the root graph. Default: all namespaces of the thread. */
  readonly checkpointNs?: string | undefined;
  /**
   * The id of the last checkpoint that the caller has seen, for example before a client reconnected. The watch first yields the
   * stored checkpoints with larger ids, in the order of their ids, whichever saver stored them. `""` starts with the first
   * checkpoint. Default: the watch starts now.
   *
   * The watch only compares ids: no checkpoint with this id has to exist. When several namespaces are written at the same time,
   * a checkpoint with a smaller id may commit later. To miss none, watch one namespace, or pass the smallest of the last ids of
   * the namespaces and expect some checkpoints twice.
   */
  readonly after?: string | undefined;
}

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
