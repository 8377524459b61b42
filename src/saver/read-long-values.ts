import { loadOnce } from "../db/async/load-once.js";
import { type CallContext, pieceBytesOf } from "../db/call-context.js";
import type {
  ContextualSerializer,
  CheckpointValueContext,
  ChannelValueContext,
} from "../serde/serde-context.js";
import type { ValueReader } from "./codec/decode-value.js";
import { type ChainRows, chainRowsOf } from "./codec/stored-value.js";
import { groupBy } from "../db/group-by.js";
import { rowKey } from "./model/keys.js";
import { type ChainRowOfPage, getChains } from "./queries/get-chains.js";
import { DatabaseError } from "../errors/index.js";
import { isDeepStrictEqual } from "node:util";
import type { TablePage } from "./queries/table-page.js";

const loadPieces = loadOnce(() => import("./queries/get-piece.js"));

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

/**
 * Creates a function that fetches the rows of a value which is a splice. The values that are asked for at the same time, such as
 * those of one checkpoint, share a statement.
 */
export function chainSource(call: CallContext): (place: ChannelValueContext) => Promise<ChainRows> {
  let waiting:
    | { readonly places: ChannelValueContext[]; readonly rows: Promise<ChainsByChannel> }
    | undefined;
  return async (place) => {
    waiting ??= gather(call, () => {
      waiting = undefined;
    });
    waiting.places.push(place);
    const { threadId, checkpointNs, channel, version } = place;
    const rows = (await waiting.rows).get(rowKey(threadId, checkpointNs, channel));
    const rowOf = chainRowsOf(rows ?? []);
    // Deleted since the read that found the splice.
    if (rowOf(version) === undefined) throw new ReplacedValueError(place);
    return rowOf;
  };
}

type ChainsByChannel = ReadonlyMap<string, readonly ChainRowOfPage[]>;

/** @param begin - Called when the statement is sent. Later places need another one. */
function gather(call: CallContext, begin: () => void) {
  const places: ChannelValueContext[] = [];
  const fetched = async (): Promise<ChainsByChannel> => {
    // The other values of the read are asked for in the same turn.
    await Promise.resolve();
    begin();
    const rows = await getChains(call, places);
    return groupBy(rows, (row) => rowKey(row.thread_id, row.checkpoint_ns, row.channel));
  };
  return { places, rows: fetched() };
}

/** The number of times that a read starts, where its values are replaced or deleted while it fetches them. */
const MAX_READS = 5;

/** Reports a long value or a splice that was replaced or deleted after a read had found it. */
export class ReplacedValueError extends DatabaseError {
  override name = "ReplacedValueError";
  constructor({ channel, ...place }: CheckpointValueContext) {
    super(`channel "${channel}": its value was replaced while it was read`, {
      ...place,
      channel,
      transient: true,
    });
  }
}

/**
 * Starts a read again where a long value was replaced before it was fetched, so that the result existed at one
 * moment.
 *
 * @throws ReplacedValueError where that happens several times.
 */
export async function readUnreplaced<T>(read: () => Promise<T>, reads = MAX_READS): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ReplacedValueError) || reads <= 1) throw error;
    return readUnreplaced(read, reads - 1);
  }
}

/** How the rows of a table are read in pages. */
export interface RereadTable<Row, Key extends object> {
  readonly keyOf: (row: Row) => Key;
  readonly getPage: (page: Omit<TablePage<Key>, "threadId">) => Promise<Row[]>;
}

/** Reads a row of a page again. Returns `undefined` where it was deleted. */
export async function rereadRow<Row, Key extends object>(
  { keyOf, getPage }: RereadTable<Row, Key>,
  row: Row,
): Promise<Row | undefined> {
  const key = keyOf(row);
  const [again] = await getPage({ begin: { key, inclusive: true }, pageSize: 1 });
  return again !== undefined && isDeepStrictEqual(keyOf(again), key) ? again : undefined;
}

/**
 * Reads the value of a row of a page, from the row as it is now where it was replaced since the page was read.
 *
 * @returns `undefined` where the row was deleted.
 * @throws ReplacedValueError where it is replaced several times.
 */
export async function readOfRow<Row, Key extends object, T>(
  table: RereadTable<Row, Key>,
  first: Row,
  read: (row: Row) => Promise<T>,
): Promise<T | undefined> {
  let row = first;
  return readUnreplaced(async () => {
    try {
      return await read(row);
    } catch (error) {
      if (!(error instanceof ReplacedValueError)) throw error;
      const again = await rereadRow(table, row);
      if (again === undefined) return undefined;
      // readUnreplaced tries again, with the new row.
      row = again;
      throw error;
    }
  });
}
