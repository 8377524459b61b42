import type { CallOptions } from "../parsing/parse-call-options.js";

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
