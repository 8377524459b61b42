import type { CallContext } from "../../db/call-context.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import { getLineage, type LineageChannel, type LineageRow } from "../queries/get-lineage.js";

/** A checkpoint or one of its ancestors. */
export interface Ancestor {
  readonly id: string;
  readonly parentId: string | null;
  readonly source: string | null;
  /** The channels whose walk has not ended at a newer checkpoint. */
  readonly channels: ReadonlyMap<string, ChannelState>;
}

/** The state of a channel at an ancestor; see `LineageChannel`. */
export interface ChannelState {
  readonly version: string | null;
  readonly hasEnded: boolean;
  readonly seen: readonly string[];
}

/** Reads a checkpoint and its ancestors, the newest first. */
export async function readLineage(
  call: CallContext,
  key: CheckpointKey,
  channels: readonly string[],
): Promise<Ancestor[]> {
  const rows = await getLineage(call, key, channels);
  // On a cycle of damaged rows a checkpoint comes more than once. Its first row has all channels that are still open.
  const byId = new Map(rows.map((row) => [row.checkpoint_id, row]).reverse() as [string, LineageRow][]);
  const newestFirst: Ancestor[] = [];
  let next: string | null = key.checkpointId;
  while (next !== null) {
    const row = byId.get(next);
    if (row === undefined) break;
    byId.delete(next);
    newestFirst.push(toAncestor(row));
    next = row.parent_checkpoint_id;
  }
  return newestFirst;
}

function toAncestor({ checkpoint_id, parent_checkpoint_id, source, channels }: LineageRow): Ancestor {
  // The JSON comes from our own statement.
  const states = JSON.parse(channels) as LineageChannel[];
  return {
    id: checkpoint_id,
    parentId: parent_checkpoint_id,
    source,
    channels: new Map(
      states.map(([channel, version, hasEnded, seen]) => [channel, { version, hasEnded, seen: seen ?? [] }]),
    ),
  };
}
