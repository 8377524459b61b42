import type { ChannelValueContext, ContextualSerializer } from "../serde/serde-context.js";
import type { Problem } from "../audit/audit-types.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ChannelReducers } from "../saver/model/channel-reducers.js";
import type { CheckpointKey, NamespaceKey } from "../saver/model/keys.js";
import type { BackupRows } from "./backup-rows.js";

/** What a thread is repaired with. */
export interface RepairTools {
  readonly serde: ContextualSerializer;
  readonly reducers: ChannelReducers;
  /** The rows of a backup that may mend the thread. */
  readonly backup: BackupRows | undefined;
  readonly rollBack: boolean;
}

/** The call of the transaction that repairs a thread. */
export type RepairCall = SaverCall;

/** The namespace of a problem. */
export function namespaceOf({ threadId, checkpointNs }: Problem): NamespaceKey {
  return { threadId, checkpointNs };
}

/** The value that a problem is about. */
export function valueKeyOf(problem: Problem): ChannelValueContext | undefined {
  const { channel, version } = problem;
  if (channel === undefined || version === undefined) return undefined;
  return { ...namespaceOf(problem), channel, version };
}

/** The checkpoint that a problem is about. */
export function checkpointOf(problem: Problem): CheckpointKey | undefined {
  const { checkpointId } = problem;
  return checkpointId === undefined ? undefined : { ...namespaceOf(problem), checkpointId };
}
