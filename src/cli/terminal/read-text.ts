import { addAbortSignal, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { InvalidConfigError } from "../../errors/index.js";
import { MAX_LINE_BYTES } from "../../parsing/split-lines.js";
import type { InputStream } from "../command-io.js";

/** What a text is read for. */
export interface TextInput {
  /** Ends the wait for the stream. */
  readonly signal: AbortSignal;
  /** The argument that the text stands for. */
  readonly field: string;
  /** Default: as many as a line of a file may have. */
  readonly maxBytes?: number;
}

/**
 * Reads a stream to its end.
 *
 * @throws InvalidConfigError for a longer text, once so many bytes of it have come.
 */
export async function readText(
  stream: InputStream,
  { signal, field, maxBytes = MAX_LINE_BYTES }: TextInput,
): Promise<string> {
  const chunks: AsyncIterable<string | Uint8Array> =
    stream instanceof Readable ? addAbortSignal(signal, stream) : stream;
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > maxBytes) throw new InvalidConfigError(field, `must not be longer than ${maxBytes} bytes`);
    text += typeof chunk === "string" ? chunk : decoder.write(chunk);
  }
  return text + decoder.end();
}
