import { z } from "zod";
import type { CallRun } from "../calls/call-definition.js";
import { followPath, valueArgs } from "../calls/values-calls.js";
import { readStoredValue } from "../stored-values/read-stored-value.js";
import { jsonText } from "../values/readable-json.js";
import { bufferOf, isBytes } from "../values/value-type.js";
import { bytePieces, fileNameOf, fileResponse, textPieces } from "./file-response.js";
import { parseArgs } from "./read-args.js";
import { noop } from "../../db/async/noop.js";
import { onAbort } from "../../db/async/on-abort.js";
import { AbortError } from "../../errors/index.js";
import type { NamespacePlace } from "../api/places.js";
import { namespacePlace } from "../calls/args.js";
import { exportConversation, exportHistory, exportState } from "../export/export-thread.js";
import { letOthersRun } from "../values/let-others-run.js";

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

function fileOf(value: unknown, isBase64: boolean): readonly [name: string, pieces: Iterator<Uint8Array>] {
  if (typeof value === "string" && isBase64) return ["value.bin", bytePieces(bytesInBase64(value))];
  if (typeof value === "string") return ["value.txt", textPieces([value])];
  if (typeof value === "object" && value !== null && isBytes(value)) {
    return ["value.bin", bytePieces(bufferOf(value))];
  }
  return ["value.json", textPieces(jsonText(value))];
}

/** Decodes base64, also that of a `data:` address. What is no base64 becomes no bytes that anybody could use, and does no harm. */
function bytesInBase64(text: string): Buffer {
  return Buffer.from(text.startsWith("data:") ? text.slice(text.indexOf(",") + 1) : text, "base64");
}

type Parts = AsyncGenerator<Iterable<string>, undefined>;

/** The forms of a thread as a file, by their names in the request: how the name of the file ends, and what it has. */
const FORMS = {
  conversation: ["conversation.md", exportConversation],
  state: ["state.json", exportState],
  history: ["history.ndjson", exportHistory],
} as const satisfies Readonly<
  Record<string, readonly [ending: string, (run: CallRun, place: NamespacePlace) => Parts]>
>;

const exportArgs = namespacePlace.extend({ form: z.enum(["conversation", "state", "history"]) });

/**
 * Sends a thread as a file. The next part is read when the last one has been sent, so that a long thread is never in memory. What fails
 * before the first part is an answer with an error; later the connection breaks, so that nobody takes the file for complete.
 */
export async function exportFile(run: CallRun, args: string): Promise<Response> {
  const { form, ...place } = parseArgs(exportArgs, args);
  const [ending, exported] = FORMS[form];
  const pieces = piecesOf(exported(run, place), run.signal);
  const first = await pieces.next();
  // Where nobody reads, nobody asks for the end either.
  onAbort(run.signal, () => {
    pieces.return(undefined).catch(noop);
  });
  return fileResponse(fileNameOf(place.threadId, ending), startedWith(run, first, pieces));
}

async function* piecesOf(parts: Parts, signal: AbortSignal): AsyncGenerator<Uint8Array, undefined> {
  for await (const part of parts) {
    for (const piece of textPieces(part)) {
      yield piece;
      await letOthersRun(signal);
    }
  }
}

async function* startedWith(
  { context }: CallRun,
  first: IteratorResult<Uint8Array, undefined>,
  rest: AsyncGenerator<Uint8Array, undefined>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } catch (error) {
    if (!(error instanceof AbortError)) {
      context.call.telemetry?.failedBeside("an export of the inspector failed", error);
    }
    throw error;
  } finally {
    await rest.return(undefined);
  }
}
