import { constants } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

/**
 * The most bytes of a line: as many as the longest string of Node.js has characters. A row of a backup is shorter, since Postgres stores at
 * most 256 MB in a column of JSONB, and long values come in pieces.
 */
export const MAX_LINE_BYTES = constants.MAX_STRING_LENGTH;

/** The most bytes that are split at once, since a target may return a whole file as one chunk. */
const PIECE_BYTES = 2 ** 20;

/** A line is longer than what can be read. The reader that knows the number of the line makes an error of ours of it. */
export class LongLineError extends Error {
  /** @param source - What the line was read from, where the reader knows it. */
  constructor(maxBytes: number, source?: string) {
    const place = source === undefined ? "" : ` of ${source}`;
    super(`the line${place} is longer than ${maxBytes} bytes, the most that can be read`);
  }
}

/**
 * Splits a stream of bytes into lines, wherever chunks begin and end. Only a line feed ends a line: Node's `readline` also splits at
 * U+2028, which JSON text may hold. It holds one line in memory.
 *
 * @param maxBytes - The most bytes of a line.
 * @throws LongLineError for a longer line, once so many bytes of it have come.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let restBytes = 0;
  for await (const piece of piecesOf(chunks, Math.min(PIECE_BYTES, maxBytes))) {
    const end = piece.indexOf(LINE_FEED);
    // The other lines are in the piece, which is no longer than a line may be.
    restBytes += end === -1 ? piece.length : end;
    if (restBytes > maxBytes) throw new LongLineError(maxBytes);
    const [first = "", ...others] = decoder.write(piece).split("\n");
    rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
    if (end !== -1) restBytes = piece.length - 1 - piece.lastIndexOf(LINE_FEED);
  }
  rest += decoder.end();
  if (rest !== "") yield rest;
}

const LINE_FEED = 10;

async function* piecesOf(chunks: AsyncIterable<Uint8Array>, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += pieceBytes)
      yield chunk.subarray(start, start + pieceBytes);
  }
}
