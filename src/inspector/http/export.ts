import { z } from "zod";
import { noop } from "../../db/async/noop.js";
import { onAbort } from "../../db/async/on-abort.js";
import { AbortError } from "../../errors/index.js";
import type { NamespacePlace } from "../api/places.js";
import { namespacePlace } from "../calls/args.js";
import type { CallRun } from "../calls/call-definition.js";
import { exportConversation, exportHistory, exportState } from "../export/export-thread.js";
import { letOthersRun } from "../values/let-others-run.js";
import { type FileName, fileResponse, textPieces } from "./file-response.js";
import { parseArgs } from "./parse-args.js";

type Parts = AsyncGenerator<Iterable<string>, undefined>;

/** The forms of a thread as a file, by their names in the request. */
const FORMS = {
  conversation: ["conversation.md", exportConversation],
  state: ["state.json", exportState],
  history: ["thread.ndjson", exportHistory],
} as const satisfies Readonly<
  Record<string, readonly [FileName, (run: CallRun, place: NamespacePlace) => Parts]>
>;

const exportArgs = namespacePlace.extend({ form: z.enum(["conversation", "state", "history"]) });

/**
 * Sends a thread as a file. The next part is read when the last one has been sent, so that a long thread is never in memory. What fails
 * before the first part is an answer with an error; later the connection breaks, so that nobody takes the file for complete.
 */
export async function exportFile(run: CallRun, args: string): Promise<Response> {
  const { form, ...place } = parseArgs(exportArgs, args);
  const [name, exported] = FORMS[form];
  const pieces = piecesOf(exported(run, place), run.signal);
  const first = await pieces.next();
  // Where nobody reads, nobody asks for the end either.
  onAbort(run.signal, () => {
    pieces.return(undefined).catch(noop);
  });
  return fileResponse(name, startedWith(run, first, pieces));
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
