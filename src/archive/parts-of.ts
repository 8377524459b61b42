import type { PruneRequest } from "../retention/boundary/parse-prune.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ArchivePart } from "./archive-part.js";
import { oldCheckpoints } from "./old-checkpoints.js";
import { idleThreads, namedThreads } from "./whole-threads.js";

/** Yields what a retention rule selects. Threads follow each other, and so do the parts of a thread. */
export function partsOf(
  call: SaverCall,
  rule: PruneRequest,
  onMissing: (threads: readonly string[]) => void,
): AsyncGenerator<ArchivePart> {
  switch (rule.kind) {
    case "delete":
      return namedThreads(call, rule, onMissing);
    case "deleteIdle":
      return idleThreads(call, rule, onMissing);
    case "retain":
      return oldCheckpoints(call, rule, onMissing);
  }
}
