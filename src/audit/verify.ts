import { type CheckpointKey, checkpointKeyOf, compareText, rowKey } from "../saver/model/keys.js";
import { addedColumns } from "../db/added-columns.js";
import type { CallContext } from "../db/call-context.js";
import { placementOf } from "../db/placement/placement.js";
import { isCompressed } from "../serde/compressed/codecs.js";
import type {
  ChannelValueContext,
  ContextualSerializer,
  PendingWriteContext,
} from "../serde/serde-context.js";
import type { VerifyRequest } from "./boundary/parse-audit.js";
import { valueReader } from "../saver/read-long-values.js";
import { type CheckedHeaderRow, getHeaderPage } from "./queries/get-header-page.js";
import {
  type CheckedTombstoneRow,
  getTombstonePage,
  type TombstoneKey,
} from "./queries/get-tombstone-page.js";
import { expectedRows } from "./queries/expected-rows.js";
import { getRecentThreads } from "./queries/get-recent-threads.js";
import { getStrayBlobs, type StrayBlobRow, type ThreadRange } from "./queries/get-stray-blobs.js";
import {
  blobPlaceOf,
  type BlobPageRow,
  getBlobPage,
  getWritePage,
  writePlaceOf,
} from "../saver/queries/get-value-page.js";
import { LEFT_OUT } from "../saver/queries/sent-row.js";
import { allThreads } from "../saver/thread-pages.js";
import type { VerifyReport } from "./audit-types.js";
import { walkPages, type WalkedPage } from "./walk-pages.js";
import { type FoundProblem, notice, ProblemList } from "./problems.js";
import { headerCheck, problemsOfHeader, problemsOfTombstone } from "./verify-headers.js";
import { type CheckedWriteRow, problemsOfBlob, problemsOfWrite } from "./verify-values.js";

/** The headers whose values are checked next. One search for unreferenced blobs covers them: the server sorts their references. */
const HEADERS_PER_RANGE = 2_000;

/**
 * Checks the three tables in pages, so that neither a long thread nor many threads are in memory at once: the headers of some threads, and
 * then their values. See `verify` of the savers.
 */
export async function verify(
  call: CallContext,
  request: VerifyRequest,
  serde: ContextualSerializer,
): Promise<VerifyReport> {
  const { threadId, sample = 1, since } = request;
  const isCounted = threadId === undefined && since === undefined;
  const rows = isCounted && request.onProgress !== undefined ? await expectedRows(call) : undefined;
  const progress = new Progress(request, rows === undefined ? undefined : rows * sample);
  for await (const scope of scopesOf(call, request)) {
    const values = await valueWalks(call, scope, serde, progress);
    await verifyHeaders(call, scope, serde, { progress, values });
    for (const walk of values) await walk.advance(undefined);
  }
  // All together, as its thread may have no row but a conversation.
  await verifyTombstones(call, request, progress);
  return progress.report();
}

/** All threads together, or one after another where some are chosen, or a statement names its thread (N1). */
async function* scopesOf(call: CallContext, request: VerifyRequest): AsyncGenerator<VerifyRequest> {
  const { threadId, sample = 1, since } = request;
  const isAll = sample === 1 && since === undefined;
  if (threadId !== undefined || (isAll && !(await placementOf(call)).isOnNodes)) {
    yield request;
    return;
  }
  for await (const page of allThreads(call)) {
    const drawn = page.filter(() => Math.random() < sample);
    const chosen = since === undefined ? drawn : await getRecentThreads(call, drawn, since);
    for (const threadId of chosen) yield { ...request, threadId };
  }
}

async function verifyHeaders(
  call: CallContext,
  { threadId }: VerifyRequest,
  serde: ContextualSerializer,
  { progress, values }: { readonly progress: Progress; readonly values: readonly ValueWalk[] },
): Promise<void> {
  const check = headerCheck(call, serde.refusesPlaintext === true);
  const pages = walkPages<CheckedHeaderRow, CheckpointKey>(call, {
    threadId,
    keyOf: checkpointKeyOf,
    getPage: (page) => getHeaderPage(call, page),
    inspect: (row) => problemsOfHeader(row, check),
    sizeOf: ({ checkpoint, metadata }) => (checkpoint?.length ?? 0) + (metadata?.length ?? 0),
  });
  let headers = 0;
  let after: string | undefined;
  // What a corrupt header references can't be told, so its values are no problems of their own.
  const corrupt = new Set<string>();
  const addStrays = async (range: ThreadRange | string): Promise<void> => {
    const strays = await strayBlobs(call, range);
    progress.addProblems(
      strays.filter(({ place }) => !corrupt.has(rowKey(place.threadId, place.checkpointNs))),
    );
    corrupt.clear();
  };
  for await (const page of pages) {
    progress.addHeaders(page);
    for (const { kind, place } of page.problems) {
      if (kind === "corrupt-header") corrupt.add(rowKey(place.threadId, place.checkpointNs));
    }
    headers += page.rows.length;
    const upTo = page.rows.at(-1)?.thread_id;
    if (threadId !== undefined || headers < HEADERS_PER_RANGE || upTo === after) continue;
    await addStrays({ after, upTo });
    for (const walk of values) await walk.advance(upTo);
    after = upTo;
    headers = 0;
  }
  await addStrays(threadId ?? { after, upTo: undefined });
}

/** Finds blobs that no checkpoint references in two successive reads, since other savers store values before checkpoints. */
async function strayBlobs(call: CallContext, range: ThreadRange | string): Promise<FoundProblem[]> {
  const found = await getStrayBlobs(call, range);
  if (found.length === 0) return [];
  const again = new Set((await getStrayBlobs(call, range)).map(strayKeyOf));
  return found.filter((row) => again.has(strayKeyOf(row))).map(strayBlobProblem);
}

function strayKeyOf({ thread_id, checkpoint_ns, channel, version }: StrayBlobRow): string {
  return rowKey(thread_id, checkpoint_ns, channel, version);
}

function strayBlobProblem(row: StrayBlobRow): FoundProblem {
  return notice("stray-blob", blobPlaceOf(row), "no checkpoint references the value");
}

/** A table of values that is checked as far as its headers are. */
class ValueWalk {
  readonly #pages: AsyncGenerator<WalkedPage<BlobPageRow | CheckedWriteRow>, undefined>;
  readonly #progress: Progress;
  #reached: string | undefined;

  constructor(
    pages: AsyncGenerator<WalkedPage<BlobPageRow | CheckedWriteRow>, undefined>,
    progress: Progress,
  ) {
    this.#pages = pages;
    this.#progress = progress;
  }

  /** Checks the pages up to a thread; with `undefined`, all that are left. */
  async advance(upTo: string | undefined): Promise<void> {
    while (upTo === undefined || this.#reached === undefined || compareText(this.#reached, upTo) <= 0) {
      const next = await this.#pages.next();
      if (next.done === true) return;
      this.#progress.addValues(next.value);
      this.#reached = next.value.rows.at(-1)?.thread_id;
    }
  }
}

async function valueWalks(
  call: CallContext,
  { threadId }: VerifyRequest,
  serde: ContextualSerializer,
  progress: Progress,
): Promise<ValueWalk[]> {
  // Tables of other savers lack columns.
  const { splices, taskPath } = await addedColumns(call);
  const blobs = walkPages<BlobPageRow, ChannelValueContext>(call, {
    threadId,
    keyOf: blobPlaceOf,
    getPage: (page) => getBlobPage(call, { ...page, copies: splices }),
    inspect: (row) => problemsOfBlob(row, valueReader(call, serde)),
    sizeOf,
    isLong,
  });
  const writes = walkPages<CheckedWriteRow, PendingWriteContext>(call, {
    threadId,
    keyOf: writePlaceOf,
    getPage: (page) => getWritePage(call, { ...page, copies: taskPath }),
    inspect: (row, previous) => problemsOfWrite(row, valueReader(call, serde), previous),
    sizeOf,
    isLong,
  });
  return [new ValueWalk(blobs, progress), new ValueWalk(writes, progress)];
}

/** Finds tombstones of threads that have checkpoints. */
async function verifyTombstones(
  call: CallContext,
  { threadId }: VerifyRequest,
  progress: Progress,
): Promise<void> {
  if (!(await addedColumns(call)).tombstones) return;
  const pages = walkPages<CheckedTombstoneRow, TombstoneKey>(call, {
    threadId,
    keyOf: ({ thread_id }) => ({ threadId: thread_id }),
    getPage: (page) => getTombstonePage(call, page),
    inspect: (row) => Promise.resolve(problemsOfTombstone(row)),
    sizeOf: ({ thread_id }) => thread_id.length,
  });
  for await (const { problems } of pages) progress.addProblems(problems);
}

function sizeOf({ blob }: Pick<CheckedWriteRow, "blob">): number {
  return blob?.length ?? 0;
}

/** A few compressed bytes may decompress to many. */
function isLong({ blob, type }: Pick<CheckedWriteRow, "blob" | "type">): boolean {
  return blob?.startsWith(LEFT_OUT) === true || isCompressed(type);
}

/** Counts the checked rows, and reports the progress. */
class Progress {
  readonly #onProgress: VerifyRequest["onProgress"];
  readonly #problems = new ProblemList();
  readonly #counts = { threads: 0, checkpoints: 0, values: 0 };
  readonly #expected: number | undefined;
  #threadId: string | undefined;

  /** @param expected - About how many rows will be checked; `undefined` where nobody knows. */
  constructor({ onProgress }: VerifyRequest, expected: number | undefined) {
    this.#onProgress = onProgress;
    this.#expected = expected;
  }

  addHeaders({ rows, problems }: WalkedPage<CheckedHeaderRow>): void {
    for (const { thread_id } of rows) {
      // Rows come in the order of their threads.
      if (thread_id !== this.#threadId) this.#counts.threads += 1;
      this.#threadId = thread_id;
    }
    this.#counts.checkpoints += rows.length;
    this.addProblems(problems);
    this.#notify(rows);
  }

  addValues({ rows, problems }: WalkedPage<BlobPageRow | CheckedWriteRow>): void {
    this.#counts.values += rows.length;
    this.addProblems(problems);
    this.#notify(rows);
  }

  addProblems(problems: readonly FoundProblem[]): void {
    for (const problem of problems) this.#problems.add(problem);
  }

  report(): VerifyReport {
    return { ...this.#counts, problems: this.#problems.toProblems() };
  }

  #notify(rows: readonly { readonly thread_id: string }[]): void {
    const { threads: _, ...counts } = this.#counts;
    const threadId = rows.at(-1)?.thread_id ?? "";
    const found = { problems: this.#problems.count("error"), notices: this.#problems.count("notice") };
    const expected = this.#expected;
    this.#onProgress?.({ ...counts, ...found, threadId, ...(expected !== undefined && { expected }) });
  }
}
