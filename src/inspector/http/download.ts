import { z } from "zod";
import type { CallRun } from "../calls/call-definition.js";
import { followPath, valueArgs } from "../calls/values-calls.js";
import { readStoredValue } from "../stored-values/read-stored-value.js";
import { jsonText } from "../values/readable-json.js";
import { bytesOf, isBytes } from "../values/value-type.js";
import { bytePieces, type FileName, fileResponse, textPieces } from "./file-response.js";
import { parseArgs } from "./parse-args.js";

const downloadArgs = valueArgs.extend({ isBase64: z.boolean().optional() });

/**
 * Sends a part of a stored value as a file: bytes as they are, a text in UTF-8, anything else as JSON. The names of the files are fixed,
 * since a stored name could mislead whoever opens it, and no browser shows the content as a page. With `isBase64` a text is sent as the
 * bytes that it stands for, such as those of an image in a message.
 */
export async function download(run: CallRun, args: string): Promise<Response> {
  const { place, path, isBase64 = false } = parseArgs(downloadArgs, args);
  const value = followPath(await readStoredValue(run, place), path).at(-1);
  const [name, pieces] = fileOf(value, isBase64);
  return fileResponse(name, pieces);
}

function fileOf(value: unknown, isBase64: boolean): readonly [name: FileName, pieces: Iterator<Uint8Array>] {
  if (typeof value === "string" && isBase64) return ["value.bin", bytePieces(bytesInBase64(value))];
  if (typeof value === "string") return ["value.txt", textPieces([value])];
  if (typeof value === "object" && value !== null && isBytes(value)) {
    return ["value.bin", bytePieces(bytesOf(value))];
  }
  return ["value.json", textPieces(jsonText(value))];
}

/** Decodes base64, also that of a `data:` address. What is no base64 becomes no bytes that anybody could use, and does no harm. */
function bytesInBase64(text: string): Buffer {
  return Buffer.from(text.startsWith("data:") ? text.slice(text.indexOf(",") + 1) : text, "base64");
}
