import type { CallOptions } from "../parsing/parse-call-options.js";

/** What a watch is about. */
export interface WatchOptions extends CallOptions {
  /** Only this namespace; `""` is the root graph. Default: all of the thread. */
  readonly checkpointNs?: string | undefined;
  /**
   * The id of the last checkpoint that the caller has seen, as of a client that connects again: the checkpoints with larger
   * ids that are stored already come first, in the order of their ids, whoever stored them. `""` begins with the first
   * checkpoint. Default: the watch begins now.
   *
   * Ids are compared, and no checkpoint of this id has to be there. Where namespaces are written at the same time, one may
   * be committed later and have a smaller id: to miss none, give the smallest of the last ids of the namespaces, and expect
   * some twice, or watch one namespace.
   */
  readonly after?: string | undefined;
}
