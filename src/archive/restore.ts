import { holdsThread } from "../backup/backup-line.js";
import { importRows } from "../backup/import-threads.js";
import { LatestRows, RowsOfThreads } from "../backup/selected-rows.js";
import { LeftThreads } from "../backup/left-threads.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { addCounts, NO_ROWS } from "../saver/model/row-counts.js";
import { liftTombstones } from "../threads/thread-tombstones.js";
import { ArchiveError } from "./archive-error.js";
import type { DamagedFile, RestoreReport } from "./archive-types.js";
import type { RestoreRequest } from "./boundary/parse-archive.js";
import { readRows, newestFiles } from "./files/archive-file.js";
import { lostFiles, prefixOf, isOfOlder } from "./files/file-names.js";
import { selectThreadTimes } from "../retention/queries/whole-threads.js";
import { groupBy } from "../db/group-by.js";
import { rowKey } from "../saver/model/keys.js";
import { threadPages } from "../saver/thread-pages.js";
import { type LostParentRow, selectLostParents } from "./queries/select-lost-parents.js";

/** Restores threads from an archive; see `restore` of the savers. */
export async function restore(call: SaverCall, request: RestoreRequest): Promise<RestoreReport> {
  const { target, strict, onProgress } = request;
  const { found, names, newest, lost, damagedFiles } = await findRows(call, request);
  const left = new LeftThreads();
  leaveThreadsOf(damagedFiles, [...(request.threads ?? []), ...found.keys()], left);
  const meant = [...found.keys()].filter((threadId) => !left.has(threadId));
  if (request.liftTombstones) await liftTombstones(call, meant);
  const missing = (request.threads ?? []).filter((threadId) => !found.has(threadId) && !left.has(threadId));
  const counts = { ...NO_ROWS, threads: meant.length, files: names.length, skipped: 0 };
  const files = damagedFiles.map(({ file, reason }) => ({ file, reason }));
  let report: RestoreReport = {
    ...{ ...counts, missing, lostFiles: lost, incomplete: [] },
    ...{ damagedFiles: files, ...left.rows },
  };
  const threads = await IncompleteThreads.read(call, newest);
  const latest = new LatestRows(found);
  for (const name of names) {
    const before = report;
    const rows = latest.of(new RowsOfThreads(meant).of(readRows({ target, name, signal: call.signal })));
    await importRows(call, rows, {
      onProgress: ({ skipped, damaged, tombstoned, ...counts }) => {
        const stored = { ...addCounts(before, counts), skipped: before.skipped + skipped };
        report = { ...before, ...stored, damaged, tombstoned };
        onProgress?.(report);
      },
      // What was stored since a row was archived is later.
      specials: "kept",
      ...{ strict, left },
    });
  }
  const isRestored = (threadId: string): boolean => !left.has(threadId);
  return {
    ...report,
    threads: meant.filter(isRestored).length,
    incomplete: (await threads.afterwards(call)).filter(isRestored),
  };
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
  readonly damagedFiles: readonly UnreadFile[];
}

/** A file that can't be read to its end. */
interface UnreadFile extends DamagedFile {
  /** The threads whose rows it was read for until then. */
  readonly threads: readonly string[];
}

/** Reads every file that may hold rows of the threads to its end, and so verifies it, before anything is stored. */
async function findRows(call: SaverCall, { target, threads, strict }: RestoreRequest): Promise<FoundRows> {
  const wanted = threads && new Set(threads);
  const found = new Map<string, number>();
  const newest = new Map<string, string>();
  const names: string[] = [];
  const damagedFiles: UnreadFile[] = [];
  const all = await newestFiles(call, target, prefixesOf(threads));
  for (const name of all) {
    throwIfAborted(call.signal);
    const ofFile = new Set<string>();
    const begun = new Set<string>();
    try {
      for await (const line of readRows({ target, name, signal: call.signal })) {
        const thread = "thread" in line ? line.thread : "table" in line ? line.thread_id : undefined;
        if (thread === undefined || wanted?.has(thread) === false) continue;
        begun.add(thread);
        if ("thread" in line && holdsThread(line)) ofFile.add(thread);
      }
    } catch (error) {
      if (strict || !(error instanceof ArchiveError)) throw error;
      damagedFiles.push({ file: name, reason: error.message, threads: [...begun] });
      continue;
    }
    for (const thread of ofFile) {
      found.set(thread, (found.get(thread) ?? 0) + 1);
      if (!newest.has(thread)) newest.set(thread, name);
    }
    if (ofFile.size > 0) names.push(name);
  }
  return { found, names, newest, lost: lostFiles(all), damagedFiles };
}

/** Leaves the threads that a damaged file is known to hold rows of: their other files alone would restore an earlier state. */
function leaveThreadsOf(files: readonly UnreadFile[], known: readonly string[], left: LeftThreads): void {
  for (const { file, reason, threads } of files) {
    const ofName = known.filter((threadId) => file.startsWith(prefixOf(threadId)));
    const ids = [...new Set([...threads, ...ofName])].filter((threadId) => !left.has(threadId));
    left.add({ damaged: ids.map((threadId) => ({ threadId, reason })), tombstoned: [] }, ids);
  }
}

/** What the names of the files of the threads begin with, and those of many threads. */
function prefixesOf(threads: readonly string[] | undefined): string[] {
  if (threads === undefined) return [""];
  return threads.length === 0 ? [] : [undefined, ...threads].map(prefixOf);
}

/**
 * Finds threads of which the archive has lost its newest file, which no other file names. Read before a restore stores anything, and
 * compared with what is stored afterwards.
 */
class IncompleteThreads {
  /** Threads whose newer checkpoints are neither stored nor in the archive. */
  readonly #withoutNewer = new Set<string>();
  /** By thread, checkpoints that were stored without their parent. Its file must bring it back. */
  readonly #withoutParent = new Map<string, Set<string>>();

  /** @param newest - The newest file of each thread. */
  static async read(call: SaverCall, newest: ReadonlyMap<string, string>): Promise<IncompleteThreads> {
    const threads = new IncompleteThreads();
    for await (const page of threadPages(call, [...newest.keys()])) {
      const older = page.filter((thread) => isOfOlder(newest.get(thread) ?? ""));
      const stored = new Set((await selectThreadTimes(call, older)).map(({ thread_id }) => thread_id));
      for (const thread of older) if (!stored.has(thread)) threads.#withoutNewer.add(thread);
      for (const [thread, rows] of groupBy(await selectLostParents(call, page), (row) => row.thread_id))
        threads.#withoutParent.set(thread, new Set(rows.map(keyOf)));
    }
    return threads;
  }

  /** The threads that are still incomplete. */
  async afterwards(call: SaverCall): Promise<string[]> {
    const incomplete = new Set(this.#withoutNewer);
    for await (const page of threadPages(call, [...this.#withoutParent.keys()])) {
      for (const row of await selectLostParents(call, page)) {
        if (this.#withoutParent.get(row.thread_id)?.has(keyOf(row)) === true) incomplete.add(row.thread_id);
      }
    }
    return [...incomplete];
  }
}

function keyOf({ checkpoint_ns, checkpoint_id }: LostParentRow): string {
  return rowKey(checkpoint_ns, checkpoint_id);
}
