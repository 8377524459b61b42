import type { CallContext } from "../db/call-context.js";
import { measureStorage, type StorageRow, type StorageScope } from "./queries/measure-storage.js";
import type { ChannelStorage, StorageReport, StorageSize } from "./audit-types.js";

/** Measures the stored rows; see `storage` of the savers. */
export async function storage(call: CallContext, scope: StorageScope): Promise<StorageReport> {
  const rows = await measureStorage(call, scope);
  const total = rows.find(({ part }) => part === "total");
  return {
    total: { threads: total?.threads ?? 0, ...sizeOf(total) },
    // UNION ALL does not guarantee an order.
    threads: rows
      .filter(({ part }) => part === "thread")
      .sort(largestFirst)
      .map((row) => ({ threadId: row.name ?? "", ...sizeOf(row) })),
    channels: rows
      .filter(({ part }) => part === "channel")
      .sort(largestFirst)
      .map(channelOf),
  };
}

function sizeOf(row: StorageRow | undefined): StorageSize {
  return {
    checkpoints: row?.checkpoints ?? 0,
    headerBytes: row?.header_bytes ?? 0,
    blobs: row?.blobs ?? 0,
    blobBytes: row?.blob_bytes ?? 0,
    uncompressedBytes: row?.uncompressed_bytes ?? 0,
    splices: row?.splices ?? 0,
    wholeBytes: row?.whole_bytes ?? 0,
    writes: row?.writes ?? 0,
    writeBytes: row?.write_bytes ?? 0,
  };
}

function channelOf(row: StorageRow): ChannelStorage {
  const { checkpoints: _, headerBytes: __, ...size } = sizeOf(row);
  return { channel: row.name ?? "", ...size };
}

function largestFirst(a: StorageRow, b: StorageRow): number {
  return bytesOf(b) - bytesOf(a);
}

function bytesOf({ header_bytes, blob_bytes, write_bytes }: StorageRow): number {
  return header_bytes + blob_bytes + write_bytes;
}
