import { loadOnce } from "../db/async/load-once.js";
import type { CallContext } from "../db/call-context.js";
import type { ContextualSerializer, CheckpointValueContext } from "../serde/serde-context.js";
import { chainSource } from "./chain-source.js";
import type { ValueReader } from "./codec/decode-value.js";
import { pieceBytesOf } from "../db/size-limits.js";
import { ReplacedValueError } from "./replaced-value.js";

const loadPieces = /* @__PURE__ */ loadOnce(() => import("./queries/get-piece.js"));

/**
 * Creates a reader that decodes values with `serde` and fetches the ones that are too long to come with their rows.
 *
 * @param read - Identifies a read that uses several readers, whose values are in memory at the same time. By default
 *   each reader is a read of its own.
 */
export function valueReader(call: CallContext, serde: ContextualSerializer, read: object = {}): ValueReader {
  return {
    serde,
    read,
    fetch: (place, rowVersion) => fetchInPieces(call, place, rowVersion),
    fetchChain: chainSource(call),
  };
}

/**
 * Fetches a value in pieces, one statement for each. It uses no connection between two pieces, and a lost connection
 * costs one piece. All pieces are of one version of the row, so a replaced value is never mixed from two (C10).
 *
 * @throws ReplacedValueError where the row has been replaced or deleted.
 */
async function fetchInPieces(
  call: CallContext,
  place: CheckpointValueContext,
  version: string,
): Promise<Uint8Array> {
  const { getPiece } = await loadPieces();
  const pieceBytes = pieceBytesOf(call);
  let rowVersion = version;
  let bytes: Buffer | undefined;
  let offset = 0;
  do {
    const row = await getPiece(call, place, { rowVersion, offset, pieceBytes });
    if (row === undefined) throw new ReplacedValueError(place);
    rowVersion = row.row_version;
    bytes ??= Buffer.allocUnsafe(row.total);
    offset += bytes.write(row.piece, offset, "base64");
  } while (offset < bytes.length);
  call.observer?.addBytes(bytes.length);
  return bytes;
}
