/** The last message of a handshake and of a statement. */
const READY_FOR_QUERY = "Z".charCodeAt(0);
/** The type of a message, and its length without the type. */
const HEADER_BYTES = 5;

/** Parses what a server sends, starting at the beginning of a message. */
export class MessageReader {
  #rest = Buffer.alloc(0);

  /** @returns The complete messages up to the first ReadyForQuery, and whether that was among them. */
  read(chunk: Buffer): { readonly messages: Buffer; readonly isReady: boolean } {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let end = 0;
    let isReady = false;
    while (!isReady && bytes.length - end >= HEADER_BYTES) {
      const next = end + 1 + bytes.readUInt32BE(end + 1);
      if (next > bytes.length) break;
      isReady = bytes[end] === READY_FOR_QUERY;
      end = next;
    }
    this.#rest = bytes.subarray(end);
    return { messages: bytes.subarray(0, end), isReady };
  }
}

/** The last message on a connection that `pg_terminate_backend` ends. */
export const TERMINATED = errorResponse({
  S: "FATAL",
  V: "FATAL",
  C: "57P01",
  M: "terminating connection due to administrator command",
});

function errorResponse(fields: Record<string, string>): Buffer {
  const body = Object.entries(fields).map(([field, value]) => `${field}${value}\0`);
  const bytes = Buffer.from(`${body.join("")}\0`);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("E");
  header.writeUInt32BE(bytes.length + HEADER_BYTES - 1, 1);
  return Buffer.concat([header, bytes]);
}
