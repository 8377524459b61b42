import { throwIfAborted } from "../db/statements/cancellation.js";
import { refuseReadOnly } from "../db/refuse-read-only.js";
import { prune } from "../retention/prune.js";
import { UnprovenTally } from "../retention/prune-tally.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { addCounts, NO_ROWS, numberOfRows } from "../saver/model/row-counts.js";
import type { ArchivePart, PartListener } from "./archive-part.js";
import { RowDigests } from "../backup/row-digests.js";
import type { ArchiveResult } from "./archive-types.js";
import type { ArchiveRequest } from "./boundary/parse-archive.js";
import { type ArchiveFile, readRows, writeArchiveFile } from "./files/archive-file.js";
import type { PruneRequest } from "../retention/boundary/parse-prune.js";
import { oldCheckpoints } from "./old-checkpoints.js";
import { idleThreads, namedThreads } from "./whole-threads.js";

/** A file for many threads is ended when it has about this many rows. Until it is read back, none of them is deleted. */
const ROWS_PER_FILE = 50_000;

/**
 * Moves what a retention rule selects to an archive; see `archive` of the savers. Rows are deleted only by the content of a file
 * that is durable and has been read back, so a call may end anywhere, and the next one continues with what is still stored.
 */
export async function archive(call: SaverCall, request: ArchiveRequest): Promise<ArchiveResult> {
  const { rule, filesPer } = request;
  if (rule.dryRun) {
    const { threads, namespaces: _, ...preview } = await prune(call, rule);
    return { ...preview, threads, files: 0, changed: 0 };
  }
  // Before a file is written that nothing could be deleted by.
  await refuseReadOnly(call);
  const tally = new ArchiveTally();
  const parts = partsOf(call, rule, {
    onMissing: (missing) => {
      tally.addMissing(missing);
    },
    unproven: tally.unproven,
  });
  for await (const batch of partsPerFile(parts, filesPer === "thread" ? 1 : ROWS_PER_FILE)) {
    await archiveFile(call, { ...request, parts: batch }, tally);
  }
  return tally.result;
}

async function archiveFile(
  call: SaverCall,
  { target, rule, filesPer, format, parts }: ArchiveRequest & { readonly parts: readonly ArchivePart[] },
  tally: ArchiveTally,
): Promise<void> {
  throwIfAborted(call.signal);
  const threadId = filesPer === "thread" ? parts[0]?.threadId : undefined;
  const isOfOlder = rule.kind === "retain";
  const { file, end } = await writeArchiveFile(call, { target, format, threadId, isOfOlder, threads: parts });
  const archived = await readBack(file, end);
  tally.addFile();
  for (const part of parts) await tally.add(part, archived.get(part.threadId) ?? new RowDigests());
}

/** Reads a whole file before anything of it is deleted or changed: only its last line proves the others. */
export async function readBack(file: ArchiveFile, end: string): Promise<ReadonlyMap<string, RowDigests>> {
  const threads = new Map<string, RowDigests>();
  let current = new RowDigests();
  for await (const line of readRows(file, end)) {
    current.add(line);
    if ("thread" in line) {
      const earlier = threads.get(line.thread);
      threads.set(line.thread, earlier === undefined ? current : earlier.and(current));
      current = new RowDigests();
    }
  }
  return threads;
}

/** Sums up what a call moves. */
class ArchiveTally {
  #counts = NO_ROWS;
  #files = 0;
  /** The last thread that lost rows, and the last one that changed: the parts of a thread follow each other. */
  #threads = new ThreadCounter();
  #changed = new ThreadCounter();
  readonly #missing: string[] = [];
  readonly unproven = new UnprovenTally();

  addMissing(threads: readonly string[]): void {
    this.#missing.push(...threads);
  }

  addFile(): void {
    this.#files += 1;
  }

  async add({ threadId, remove }: ArchivePart, archived: RowDigests): Promise<void> {
    const { isChanged, ...counts } = await remove(archived);
    this.#counts = addCounts(this.#counts, counts);
    if (numberOfRows(counts) > 0) this.#threads.add(threadId);
    if (isChanged) this.#changed.add(threadId);
  }

  get result(): ArchiveResult {
    return {
      ...this.#counts,
      threads: this.#threads.count,
      files: this.#files,
      changed: this.#changed.count,
      missing: this.#missing,
      unproven: this.unproven.orphans,
      dryRun: false,
    };
  }
}

/** Counts threads. Those that are the same follow each other. */
class ThreadCounter {
  #last: string | undefined;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(threadId: string): void {
    if (threadId !== this.#last) this.#count += 1;
    this.#last = threadId;
  }
}

/** Yields what a retention rule selects. Threads follow each other, and so do the parts of a thread. */
function partsOf(call: SaverCall, rule: PruneRequest, listener: PartListener): AsyncGenerator<ArchivePart> {
  switch (rule.kind) {
    case "delete":
      return namedThreads(call, rule, listener);
    case "deleteIdle":
      return idleThreads(call, rule, listener);
    case "retain":
      return oldCheckpoints(call, rule, listener);
  }
}

/** Groups parts to files. A file ends with the part that brings it to `rows`. A part without rows counts as one. */
export async function* partsPerFile<Part extends { readonly size: number }>(
  parts: AsyncIterable<Part> | Iterable<Part>,
  rows: number,
): AsyncGenerator<Part[]> {
  let file: Part[] = [];
  let size = 0;
  for await (const part of parts) {
    file.push(part);
    size += Math.max(1, part.size);
    if (size < rows) continue;
    yield file;
    file = [];
    size = 0;
  }
  if (file.length > 0) yield file;
}
