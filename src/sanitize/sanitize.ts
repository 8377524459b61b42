import type { CallContext } from "../db/call-context.js";
import type { GrowthRequest } from "../compaction/boundary/parse-growth.js";
import type { SerializerOf } from "../compaction/each-channel.js";
import { eachThread, GrowthTally, type ChangedValue } from "../compaction/growth-tally.js";
import type { GrowthReport } from "../compaction/growth-types.js";
import { selectChannels } from "../compaction/queries/values-of-channel.js";
import { sanitizeChannel, sanitizedBytes } from "./sanitize-channel.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { encodeAt } from "../saver/codec/encode-value.js";
import { rowReaderOf } from "../saver/codec/decode-value.js";
import { UNTAGGED, storedValueOf } from "../saver/codec/stored-value.js";
import { valueReader, readOfRow, type RereadTable } from "../saver/read-long-values.js";
import { getWritePage, type WritePageRow, writePlaceOf } from "../saver/queries/get-value-page.js";
import { innermost, unwrapBytes, wrapBytes } from "../serde/serializer-layer.js";
import type { ContextualSerializer, PendingWriteContext } from "../serde/serde-context.js";
import { replaceWrite, type WriteReplacement } from "./queries/replace-write.js";

/** Removes what earlier versions kept of messages that had changed; see `sanitize` of the savers. */
export async function sanitize(
  call: CallContext,
  request: GrowthRequest,
  serdeOf: SerializerOf,
): Promise<GrowthReport> {
  const tally = new GrowthTally(request);
  return eachThread(call, tally, async (threadId) => {
    const { dryRun } = request;
    const serde = await serdeOf(threadId);
    const channels = await selectChannels(call, threadId);
    if (channels.length === 0) tally.addMissing(threadId);
    for (const { checkpoint_ns: checkpointNs, channel } of channels) {
      const key = { threadId, checkpointNs, channel };
      for await (const changed of sanitizeChannel(call, { key, serde, dryRun })) tally.add(threadId, changed);
    }
    for await (const changed of sanitizeWrites(call, threadId, serde, dryRun)) tally.add(threadId, changed);
  });
}

const PAGE_SIZE = 64;

/**
 * Writes the messages in the pending writes of a thread anew.
 *
 * @returns Yields what each transaction has changed.
 */
async function* sanitizeWrites(
  call: CallContext,
  threadId: string,
  serde: ContextualSerializer,
  dryRun: boolean,
): AsyncGenerator<readonly ChangedValue[]> {
  const table: RereadTable<WritePageRow, PendingWriteContext> = {
    keyOf: writePlaceOf,
    getPage: (page) => getWritePage(call, { threadId, ...page }),
  };
  let rows: WritePageRow[] = [];
  do {
    const last = rows.at(-1);
    const begin = last && { key: writePlaceOf(last), inclusive: false };
    rows = await table.getPage({ begin, pageSize: PAGE_SIZE });
    const found: WriteReplacement[] = [];
    for (const row of rows) {
      const replacement = await readOfRow(table, row, (each) => replacementOf(call, each, serde));
      if (replacement !== undefined) found.push(replacement);
    }
    const replacements = dryRun ? found : await replace(call, found);
    yield replacements.map(({ before, blob }) => ({
      bytesBefore: before.byteLength,
      bytesAfter: blob.byteLength,
    }));
  } while (rows.length === PAGE_SIZE);
}

/** @returns What was stored: a write that was deleted or has changed meanwhile is left out. */
async function replace(
  call: CallContext,
  found: readonly WriteReplacement[],
): Promise<readonly WriteReplacement[]> {
  const statements = found.map((replacement) => replaceWrite.bind(call.schema, replacement));
  const stored = await runTransaction(call, { statements });
  return found.filter((_, index) => (stored[index]?.length ?? 0) > 0);
}

async function replacementOf(
  call: CallContext,
  row: WritePageRow,
  serde: ContextualSerializer,
): Promise<WriteReplacement | undefined> {
  const place = writePlaceOf(row);
  const before = await rowReaderOf(valueReader(call, serde)).bytesOf(
    storedValueOf(row.type, row.blob),
    place,
  );
  const [type, bytes] = await unwrapBytes(serde, [row.type ?? UNTAGGED, before], place);
  const clean = await sanitizedBytes(innermost(serde), { type, bytes }, place);
  if (clean === undefined) return undefined;
  return {
    ...place,
    ...(await encodeAt(place, () => wrapBytes(serde, [clean.type, clean.bytes], place))),
    before,
  };
}
