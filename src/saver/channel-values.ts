import type { CallContext } from "../db/call-context.js";
import { type Damage, damageOf, DeserializationError, isUnreadable } from "../errors/index.js";
import type { ChannelValuesRequest } from "./boundary/parse-read.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { fromStoredBarrier } from "./codec/special-values.js";
import { decodeJsonb } from "../serde/json/jsonb.js";
import { decodeValue, INLINE_REFUSAL, type ValueReader } from "./codec/decode-value.js";
import { storedValueOf } from "./codec/stored-value.js";
import { valueReader, readUnreplaced } from "./read-long-values.js";
import {
  type ChannelValueRow,
  type ChannelValuesKey,
  getChannelValueRows,
} from "./queries/get-channel-values.js";

/** Reads the value of a channel in the newest checkpoint of each thread that has one, in the order of the request. */
export async function channelValues(
  call: CallContext,
  { onDamaged, ...key }: ChannelValuesKey & Pick<ChannelValuesRequest, "onDamaged">,
  serde: ContextualSerializer,
): Promise<Map<string, unknown>> {
  if (key.threadIds.length === 0) return new Map();
  let damaged: Damage[] = [];
  const byThread = await readUnreplaced(async () => {
    damaged = [];
    const rows = await getChannelValueRows(call, key);
    const found = rows.filter(({ json, type }) => json !== null || type !== null);
    const reader = valueReader(call, serde);
    const entries = found.map(async (row) => {
      try {
        return [[row.thread_id, await valueOf(row, key, reader)] as const];
      } catch (error) {
        if (onDamaged === undefined || !isUnreadable(error)) throw error;
        damaged.push(damageOf(error, row.thread_id));
        return [];
      }
    });
    return new Map((await Promise.all(entries)).flat());
  });
  for (const damage of damaged) onDamaged?.(damage);
  return new Map(key.threadIds.flatMap((id) => (byThread.has(id) ? [[id, byThread.get(id)]] : [])));
}

async function valueOf(
  row: ChannelValueRow,
  { checkpointNs, channel }: ChannelValuesKey,
  reader: ValueReader,
): Promise<unknown> {
  const location = { threadId: row.thread_id, checkpointNs, checkpointId: row.checkpoint_id, channel };
  // A blob takes precedence over a value in the header. Python's saver leaves a marker there.
  if (row.type !== null) {
    const context = { threadId: row.thread_id, checkpointNs, channel, version: row.version ?? "" };
    const value = await decodeValue(reader, storedValueOf(row.type, row.blob), context, location);
    return fromStoredBarrier(channel, value);
  }
  if (reader.serde.refusesPlaintext === true) throw new DeserializationError(INLINE_REFUSAL, location);
  return decodeJsonb(row.json ?? "null", location, "header");
}
