import { text } from "node:stream/consumers";
import { addAbortSignal, Readable } from "node:stream";
import type { InputStream } from "../command-io.js";

/** Reads a stream to its end. The signal ends the wait for it. */
export function readAll(stream: InputStream, signal: AbortSignal): Promise<string> {
  return text(stream instanceof Readable ? addAbortSignal(signal, stream) : stream);
}
