import { endOfPart } from "../values/cut-text.js";

/** How much is sent at once, in characters or bytes. */
const PIECE = 65_536;

/**
 * Returns the name of a file about a thread. Of its id, letters, digits and `._-` stay, in any script: any other character could lead out of
 * the folder, turn the text around or hide the ending. At most 50 of them stay, since file systems take 255 bytes.
 */
export function fileNameOf(threadId: string, ending: string): string {
  const safe = threadId.replaceAll(/[^\p{L}\p{N}._-]/gu, "_").replace(/(?<=^.{50}).*/u, "");
  return `thread-${safe}-${ending}`;
}

/**
 * Sends a file that no browser shows as a page.
 *
 * @param name - Has letters, digits and `._-` only.
 */
export function fileResponse(
  name: string,
  pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>,
): Response {
  return new Response(streamOf(pieces), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": dispositionOf(name),
      // A middleware that compresses would listen once more for each piece that waits.
      "cache-control": "no-store, no-transform",
    },
  });
}

/** A header has ASCII only, and what browsers read first for the rest. */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]/gu, "_");
  return `attachment; filename="${plain}"${plain === name ? "" : `; filename*=UTF-8''${encodeURIComponent(name)}`}`;
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
