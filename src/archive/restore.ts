import type { RowLine } from "../backup/backup-line.js";
import { importRows } from "../backup/import-threads.js";
import { LatestRows } from "../backup/latest-rows.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { addCounts, NO_ROWS, numberOfRows } from "../saver/model/row-counts.js";
import { liftTombstones } from "../threads/thread-tombstones.js";
import type { RestoreReport } from "./archive-types.js";
import type { RestoreRequest } from "./boundary/parse-archive.js";
import { readRows } from "./files/archive-file.js";
import { lostFiles, prefixOf } from "./files/file-names.js";
import { newestFirst } from "./files/list-files.js";
import { IncompleteThreads } from "./incomplete-threads.js";

/** Restores threads from an archive; see `restore` of the savers. */
export async function restore(call: SaverCall, request: RestoreRequest): Promise<RestoreReport> {
  const { target, onProgress } = request;
  const { found, names, newest, lost } = await findRows(call, request);
  const missing = (request.threads ?? []).filter((threadId) => !found.has(threadId));
  if (request.liftTombstones) await liftTombstones(call, [...found.keys()]);
  const counts = { ...NO_ROWS, threads: found.size, files: names.length, skipped: 0 };
  let report: RestoreReport = { ...counts, missing, lostFiles: lost, incomplete: [] };
  const threads = await IncompleteThreads.read(call, newest);
  const latest = new LatestRows(found);
  for (const name of names) {
    const before = report;
    const rows = latest.of(ofThreads(readRows({ target, name, signal: call.signal }), found));
    await importRows(call, rows, {
      onProgress: ({ skipped, ...counts }) => {
        report = { ...before, ...addCounts(before, counts), skipped: before.skipped + skipped };
        onProgress?.(report);
      },
      // What was stored since a row was archived is later.
      specials: "kept",
    });
  }
  return { ...report, incomplete: await threads.afterwards(call) };
}

interface FoundRows {
  /** The threads of which there are rows, and in how many files. */
  readonly found: ReadonlyMap<string, number>;
  /** The files that hold them, the newest first. */
  readonly names: readonly string[];
  /** The newest file that holds rows of each thread. */
  readonly newest: ReadonlyMap<string, string>;
  /** The files that are not there, although others name them. */
  readonly lost: readonly string[];
}

/** Reads every file that may hold rows of the threads to its end, and so verifies it, before anything is stored. */
async function findRows(call: SaverCall, { target, threads }: RestoreRequest): Promise<FoundRows> {
  const wanted = threads && new Set(threads);
  const found = new Map<string, number>();
  const newest = new Map<string, string>();
  const names: string[] = [];
  const all = await newestFirst(call, target, prefixesOf(threads));
  for (const name of all) {
    throwIfAborted(call.signal);
    const ofFile = new Set<string>();
    for await (const line of readRows({ target, name, signal: call.signal })) {
      if (!("thread" in line) || wanted?.has(line.thread) === false) continue;
      if (numberOfRows(line) > 0) ofFile.add(line.thread);
    }
    for (const thread of ofFile) {
      found.set(thread, (found.get(thread) ?? 0) + 1);
      if (!newest.has(thread)) newest.set(thread, name);
    }
    if (ofFile.size > 0) names.push(name);
  }
  return { found, names, newest, lost: lostFiles(all) };
}

/** What the names of the files of the threads begin with, and those of many threads. */
function prefixesOf(threads: readonly string[] | undefined): string[] {
  if (threads === undefined) return [""];
  return threads.length === 0 ? [] : [undefined, ...threads].map(prefixOf);
}

async function* ofThreads(
  lines: AsyncIterable<RowLine>,
  threads: ReadonlyMap<string, number>,
): AsyncGenerator<RowLine> {
  let isMeant = false;
  for await (const line of lines) {
    if ("table" in line) isMeant = threads.has(line.thread_id);
    if ("thread" in line ? threads.has(line.thread) : isMeant) yield line;
  }
}
