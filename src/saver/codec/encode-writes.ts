import { INTERRUPT, type SerializerProtocol, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { asPythonInterrupts } from "../../serde/python-interrupt.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import type { EncodedWrite, EncodedWrites } from "../queries/put-pending-writes.js";
import { encodeValue } from "./encode-value.js";
import { guardRead } from "../../serde/guard-read.js";

/** The parsed arguments of `putWrites`. */
export interface PutWritesRequest extends CheckpointKey {
  readonly taskId: string;
  readonly taskPath: string;
  readonly writes: readonly (readonly [channel: string, value: unknown])[];
}

/**
 * Encodes the writes of a task as the rows that store them. It encodes everything before it first awaits.
 *
 * @throws SerializationError naming the channel and the path of a value that can't be stored.
 */
export async function encodeWrites(
  request: PutWritesRequest,
  serde: SerializerProtocol,
): Promise<EncodedWrites> {
  const { threadId, checkpointNs, checkpointId, taskId, taskPath } = request;
  const encoded = await Promise.all(
    request.writes.map(async ([channel, written], position): Promise<EncodedWrite> => {
      const location = { threadId, checkpointNs, checkpointId, channel };
      const value = channel === INTERRUPT ? guardRead(() => asPythonInterrupts(written), location) : written;
      const idx = indexOf(channel, position);
      const context = { ...location, taskId, idx };
      return { idx, channel, ...(await encodeValue(serde, value, context, location)) };
    }),
  );
  return { threadId, checkpointNs, checkpointId, taskId, taskPath, writes: lastOfEachIndex(encoded) };
}

function indexOf(channel: string, position: number): number {
  return Object.hasOwn(WRITES_IDX_MAP, channel) ? (WRITES_IDX_MAP[channel] ?? position) : position;
}

/** Of several special writes of one kind the last one counts. One statement can't write a row twice. */
function lastOfEachIndex(writes: readonly EncodedWrite[]): EncodedWrite[] {
  const byIndex = new Map(writes.map((write) => [write.idx, write]));
  return [...byIndex.values()].sort((a, b) => a.idx - b.idx);
}
