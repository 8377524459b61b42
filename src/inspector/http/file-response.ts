import { endOfPart } from "../values/cut-text.js";

/** How much is sent at once, in characters or bytes. */
const PIECE = 65_536;

/** The names that files have. No stored name is one: it could mislead whoever opens the file. */
export type FileName =
  | ("value.bin" | "value.txt" | "value.json")
  | ("conversation.md" | "state.json" | "thread.ndjson");

/** Sends a file that no browser shows as a page. */
export function fileResponse(
  name: FileName,
  pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>,
): Response {
  return new Response(streamOf(pieces), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${name}"`,
      // A middleware that compresses would listen once more for each piece that waits.
      "cache-control": "no-store, no-transform",
    },
  });
}

/** Reads the pieces as they are asked for, so that they are never in memory together. */
function streamOf(pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => {
      await pieces.return?.();
    },
  });
}

export function* bytePieces(bytes: Buffer): Generator<Uint8Array, undefined> {
  for (let start = 0; start < bytes.length; start += PIECE) yield bytes.subarray(start, start + PIECE);
}

/** Collects short texts into pieces, and cuts long ones. */
export function* textPieces(texts: Iterable<string>): Generator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  let waiting = "";
  for (const text of texts) {
    waiting += text;
    if (waiting.length < PIECE) continue;
    for (let start = 0; start < waiting.length;) {
      const end = endOfPart(waiting, start, PIECE);
      yield encoder.encode(waiting.slice(start, end));
      start = end;
    }
    waiting = "";
  }
  if (waiting !== "") yield encoder.encode(waiting);
}
