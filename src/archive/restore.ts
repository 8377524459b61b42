import type { RowLine } from "../backup/backup-line.js";
import { importRows } from "../backup/import-threads.js";
import { LatestRows } from "../backup/latest-rows.js";
import { throwIfAborted } from "../db/statements/bounded-run.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { compareText } from "../saver/model/compare-text.js";
import { addCounts, NO_ROWS } from "../saver/model/row-counts.js";
import { liftTombstones } from "../threads/tombstones.js";
import type { RestoreReport } from "./archive-types.js";
import type { RestoreRequest } from "./boundary/parse-archive.js";
import { readRows } from "./files/archive-file.js";
import { prefixOf, timeInName } from "./files/file-names.js";

/** Restores threads from an archive; see `restore` of the savers. */
export async function restore(call: SaverCall, request: RestoreRequest): Promise<RestoreReport> {
  const { found, names } = await findRows(call, request);
  const missing = request.threads.filter((threadId) => !found.has(threadId));
  if (request.liftTombstones) await liftTombstones(call, [...found]);
  let report: RestoreReport = { ...NO_ROWS, threads: found.size, files: names.length, skipped: 0, missing };
  const latest = new LatestRows();
  for (const [at, name] of names.entries()) {
    const file = { target: request.target, name, signal: call.signal };
    const rows = latest.of(ofThreads(readRows(file), found), at === names.length - 1);
    const { skipped, ...counts } = await importRows(call, rows);
    report = { ...report, ...addCounts(report, counts), skipped: report.skipped + skipped };
  }
  return report;
}

interface FoundRows {
  /** The threads of which there are rows. */
  readonly found: ReadonlySet<string>;
  /** The files that hold them, the newest first. */
  readonly names: readonly string[];
}

/** Reads every file that may hold rows of the threads to its end, and so verifies it, before anything is stored. */
async function findRows(call: SaverCall, { target, threads }: RestoreRequest): Promise<FoundRows> {
  const wanted = new Set(threads);
  const found = new Set<string>();
  const names: string[] = [];
  for (const name of await namesOf(call, { target, threads })) {
    throwIfAborted(call.signal);
    let holds = false;
    for await (const line of readRows({ target, name, signal: call.signal })) {
      if (!("thread" in line) || !wanted.has(line.thread)) continue;
      if (line.checkpoints + line.writes + line.blobs === 0) continue;
      found.add(line.thread);
      holds = true;
    }
    if (holds) names.push(name);
  }
  return { found, names };
}

/** The files of the threads and those of many threads, the newest first. */
async function namesOf(
  { signal }: SaverCall,
  { target, threads }: Pick<RestoreRequest, "target" | "threads">,
): Promise<string[]> {
  const names = new Set<string>();
  for (const threadId of threads.length === 0 ? [] : [undefined, ...threads]) {
    const prefix = prefixOf(threadId);
    // A target may list other files as well.
    for await (const name of target.list(prefix, { signal })) if (name.startsWith(prefix)) names.add(name);
  }
  return [...names].sort((a, b) => compareText(timeInName(b), timeInName(a)));
}

async function* ofThreads(
  lines: AsyncIterable<RowLine>,
  threads: ReadonlySet<string>,
): AsyncGenerator<RowLine> {
  let isMeant = false;
  for await (const line of lines) {
    if ("table" in line) isMeant = threads.has(line.thread_id);
    if ("thread" in line ? threads.has(line.thread) : isMeant) yield line;
  }
}
