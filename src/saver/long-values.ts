import type { CallContext } from "../db/call-context.js";
import { DatabaseError } from "../errors/index.js";
import type { ContextualSerializer, ValueContext } from "../serde/serde-context.js";
import type { ValueReader } from "./codec/decode-value.js";
import { getPiece } from "./queries/get-piece.js";
import { pieceBytesOf } from "./queries/sent-bytes.js";

/** How often a read is begun anew whose values are replaced or deleted while it fetches them. */
const MAX_READS = 5;

/**
 * Reads values with `serde`, and fetches those that are too long to come with their rows.
 *
 * @param read - Of a read that needs several readers. Each reader has one of its own by default: it is for values that are in
 *   memory at the same time.
 */
export function valueReader(call: CallContext, serde: ContextualSerializer, read: object = {}): ValueReader {
  return { serde, read, fetch: (place, rowVersion) => fetchInPieces(call, place, rowVersion) };
}

/**
 * Fetches a value in pieces, each by a statement of its own: no connection is held meanwhile, and one that is lost costs a
 * piece. All are of one version of the row: a value that was replaced in between is not mixed from two.
 *
 * @throws ReplacedValueError when the row is no longer what it was.
 */
async function fetchInPieces(
  call: CallContext,
  place: ValueContext,
  rowVersion: string,
): Promise<Uint8Array> {
  const pieceBytes = pieceBytesOf(call);
  let bytes: Buffer | undefined;
  let offset = 0;
  do {
    const row = await getPiece(call, place, { rowVersion, offset, pieceBytes });
    if (row === undefined) throw new ReplacedValueError(place);
    bytes ??= Buffer.allocUnsafe(row.total);
    offset += bytes.write(row.piece, offset, "base64");
  } while (offset < bytes.length);
  call.observer?.addBytes(bytes.length);
  return bytes;
}

/** A long value that was replaced or deleted after the read that came upon it. */
export class ReplacedValueError extends DatabaseError {
  constructor({ channel, ...place }: ValueContext) {
    super(`channel "${channel}": its value was replaced while it was read`, {
      ...place,
      channel,
      transient: true,
    });
  }
}

/**
 * Begins a read anew when a long value was replaced before it was fetched: what it returns was there at one moment.
 *
 * @throws ReplacedValueError when that happens time and again.
 */
export async function readUnreplaced<T>(read: () => Promise<T>, reads = MAX_READS): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ReplacedValueError) || reads <= 1) throw error;
    return readUnreplaced(read, reads - 1);
  }
}
