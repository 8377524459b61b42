import type { CallContext } from "../db/call-context.js";
import { placementOf } from "../db/placement/placement.js";
import { isCompressed } from "../serde/compressed/codecs.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { VerifyRequest } from "./boundary/parse-audit.js";
import { rowKey } from "../saver/model/row-key.js";
import { valueReader } from "../saver/read-long-values.js";
import { type CheckedHeaderRow, getHeaderPage } from "./queries/get-header-page.js";
import { getStrayBlobs, type StrayBlobRow, type ThreadRange } from "./queries/get-stray-blobs.js";
import {
  blobPlaceOf,
  type BlobPageRow,
  getBlobPage,
  getWritePage,
  type WritePageRow,
  writePlaceOf,
} from "../saver/queries/get-value-page.js";
import { LEFT_OUT } from "../saver/queries/sent-bytes.js";
import { threadPages } from "../saver/thread-pages.js";
import type { Problem, VerifyReport } from "./audit-types.js";
import { DeltaChannels } from "./delta-channels.js";
import { walkPages, type WalkedPage } from "./walk-pages.js";
import { notice } from "./problems.js";
import { UnstoredChannels } from "./unstored-channels.js";
import { keyOf, problemsOfHeader } from "./verify-headers.js";
import { problemsOfBlob, problemsOfWrite } from "./verify-values.js";

/** The headers that one search for unreferenced blobs covers. The server sorts their references. */
const HEADERS_PER_RANGE = 10_000;

/**
 * Checks the three tables one after another in pages, so that neither a long thread nor many threads are in memory at once.
 * See `verify` of the savers.
 */
export async function verify(
  call: CallContext,
  request: VerifyRequest,
  serde: ContextualSerializer,
): Promise<VerifyReport> {
  const progress = new Progress(request);
  for await (const scope of scopesOf(call, request)) {
    await verifyHeaders(call, scope, serde, progress);
    await verifyValues(call, scope, serde, progress);
  }
  return progress.report();
}

/** All threads together, or one after another where a statement names its thread (N1). */
async function* scopesOf(call: CallContext, request: VerifyRequest): AsyncGenerator<VerifyRequest> {
  if (request.threadId !== undefined || !(await placementOf(call)).form.namesThread) {
    yield request;
    return;
  }
  for await (const page of threadPages(call, undefined)) {
    for (const threadId of page) yield { ...request, threadId };
  }
}

async function verifyHeaders(
  call: CallContext,
  { threadId }: VerifyRequest,
  serde: ContextualSerializer,
  progress: Progress,
): Promise<void> {
  const refusesPlaintext = serde.refusesPlaintext === true;
  const check = {
    call,
    refusesPlaintext,
    deltaChannels: new DeltaChannels(call),
    unstoredChannels: new UnstoredChannels(call),
  };
  const pages = walkPages<CheckedHeaderRow, ReturnType<typeof keyOf>>(call, {
    threadId,
    keyOf,
    getPage: (page) => getHeaderPage(call, page),
    inspect: (row) => problemsOfHeader(row, check),
    sizeOf: ({ checkpoint, metadata }) => (checkpoint?.length ?? 0) + (metadata?.length ?? 0),
    isLong: () => false,
  });
  let headers = 0;
  let after: string | undefined;
  for await (const page of pages) {
    progress.addHeaders(page);
    headers += page.rows.length;
    const upTo = page.rows.at(-1)?.thread_id;
    if (threadId !== undefined || headers < HEADERS_PER_RANGE || upTo === after) continue;
    progress.addProblems(await strayBlobs(call, { after, upTo }));
    after = upTo;
    headers = 0;
  }
  progress.addProblems(await strayBlobs(call, threadId ?? { after, upTo: undefined }));
}

/** Finds blobs that no checkpoint references in two successive reads, since other savers store values before checkpoints. */
async function strayBlobs(call: CallContext, range: ThreadRange | string): Promise<Problem[]> {
  const found = await getStrayBlobs(call, range);
  if (found.length === 0) return [];
  const again = new Set((await getStrayBlobs(call, range)).map(strayKeyOf));
  return found.filter((row) => again.has(strayKeyOf(row))).map(strayBlobProblem);
}

function strayKeyOf({ thread_id, checkpoint_ns, channel, version }: StrayBlobRow): string {
  return rowKey(thread_id, checkpoint_ns, channel, version);
}

function strayBlobProblem({
  thread_id: threadId,
  checkpoint_ns: checkpointNs,
  channel,
  version,
}: StrayBlobRow): Problem {
  const message = `thread "${threadId}": no checkpoint references channel "${channel}" at version "${version}"`;
  return notice("stray-blob", { threadId, checkpointNs, channel, version }, message);
}

async function verifyValues(
  call: CallContext,
  { threadId }: VerifyRequest,
  serde: ContextualSerializer,
  progress: Progress,
): Promise<void> {
  const blobs = walkPages<BlobPageRow, ReturnType<typeof blobPlaceOf>>(call, {
    threadId,
    keyOf: blobPlaceOf,
    getPage: (page) => getBlobPage(call, page),
    inspect: (row) => problemsOfBlob(row, valueReader(call, serde)),
    sizeOf,
    isLong,
  });
  for await (const page of blobs) progress.addValues(page);
  const writes = walkPages<WritePageRow, ReturnType<typeof writePlaceOf>>(call, {
    threadId,
    keyOf: writePlaceOf,
    getPage: (page) => getWritePage(call, page),
    inspect: (row, previous) => problemsOfWrite(row, valueReader(call, serde), previous),
    sizeOf,
    isLong,
  });
  for await (const page of writes) progress.addValues(page);
}

function sizeOf({ blob }: BlobPageRow | WritePageRow): number {
  return blob?.length ?? 0;
}

/** A few compressed bytes may decompress to many. */
function isLong({ blob, type }: BlobPageRow | WritePageRow): boolean {
  return blob?.startsWith(LEFT_OUT) === true || isCompressed(type);
}

/** Counts the checked rows, and reports the progress. */
class Progress {
  readonly #onProgress: VerifyRequest["onProgress"];
  readonly #problems: Problem[] = [];
  #threads = 0;
  #checkpoints = 0;
  #values = 0;
  #threadId: string | undefined;

  constructor({ onProgress }: VerifyRequest) {
    this.#onProgress = onProgress;
  }

  addHeaders({ rows, problems }: WalkedPage<CheckedHeaderRow>): void {
    for (const { thread_id } of rows) {
      // Rows come in the order of their threads.
      if (thread_id !== this.#threadId) this.#threads += 1;
      this.#threadId = thread_id;
    }
    this.#checkpoints += rows.length;
    this.addProblems(problems);
    this.#notify(rows);
  }

  addValues({ rows, problems }: WalkedPage<BlobPageRow | WritePageRow>): void {
    this.#values += rows.length;
    this.addProblems(problems);
    this.#notify(rows);
  }

  addProblems(problems: readonly Problem[]): void {
    for (const problem of problems) this.#problems.push(problem);
  }

  report(): VerifyReport {
    return {
      threads: this.#threads,
      checkpoints: this.#checkpoints,
      values: this.#values,
      problems: this.#problems,
    };
  }

  #notify(rows: readonly { readonly thread_id: string }[]): void {
    this.#onProgress?.({
      checkpoints: this.#checkpoints,
      values: this.#values,
      problems: this.#problems.length,
      threadId: rows.at(-1)?.thread_id ?? "",
    });
  }
}
