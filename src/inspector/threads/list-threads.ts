import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { keyText } from "../../parsing/keys.js";
import { idsFrom } from "../../saver/model/checkpoint-time.js";
import { parseThreadQuery } from "../../threads/boundary/parse-threads.js";
import type { ThreadsPage, ThreadsQuery } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { listMatchingThreads } from "../queries/list-matching-threads.js";
import { listRecentThreads } from "../queries/list-recent-threads.js";
import { listOpenThreads } from "../queries/open-threads.js";
import type { RecentScope, RecentThreadRow } from "../queries/recent-threads.js";
import { hasWaitingIndex } from "../queries/waiting-index.js";
import { listedThread, type ThreadInState, withOpenTasks, withStates } from "./describe-threads.js";

const DEFAULT_LIMIT = 50;
/** How many threads an answer is about at most, where no index finds those that were asked for. */
export const MAX_LOOKED = 1_000;

/** Lists threads. */
export async function listThreads(run: CallRun, query: ThreadsQuery): Promise<ThreadsPage> {
  const { state, order, before } = query;
  if (state !== undefined) {
    const isOpen = state === "interrupted" || state === "failed";
    if (isOpen && (await hasWaitingIndex(run.call))) return openThreads(run, query, state);
    return threadsInState(run, query, state);
  }
  return order === "id" && before === undefined ? threadsById(run, query) : recentThreads(run, query);
}

async function threadsById(
  run: CallRun,
  { search, filter, after, limit = DEFAULT_LIMIT }: ThreadsQuery,
): Promise<ThreadsPage> {
  const { scope } = parseThreadQuery({ after, filter, limit });
  // Its rows and not what `listThreads` makes of them, which fails at a damaged one: that must not hide the others.
  const rows = await listMatchingThreads(run.call, { ...scope, search: textOf(search) }, limit);
  const threads = rows.map((row) =>
    listedThread({ ...row, ...metadataSchema.parse(JSON.parse(row.metadata ?? "null")), place: "" }),
  );
  return {
    threads: await withOpenTasks(run, await withStates(run, threads)),
    ...(rows.length === limit && { next: rows.at(-1)?.thread_id ?? "" }),
  };
}

const metadataSchema = z
  .object({
    step: z.int().transform(String).nullable().catch(null),
    source: z.string().nullable().catch(null),
  })
  .catch({ step: null, source: null });

async function recentThreads(run: CallRun, query: ThreadsQuery): Promise<ThreadsPage> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listRecentThreads(run.call, recentScope(query), limit);
  return {
    threads: await withOpenTasks(run, await withStates(run, rows.map(listedThread))),
    ...nextOf(rows, rows.length === limit),
  };
}

/** Lists threads that wait or have failed, by the index of these. */
async function openThreads(
  run: CallRun,
  query: ThreadsQuery,
  state: "interrupted" | "failed",
): Promise<ThreadsPage> {
  const { order, before, limit = DEFAULT_LIMIT } = query;
  const scope = {
    ...recentScope({ ...query, before: undefined }),
    failed: state === "failed",
    oldestFirst: order === "oldest",
    before: before === undefined ? undefined : idsFrom(new Date(before)),
  };
  const rows = await listOpenThreads(run.call, scope, limit);
  // What has been answered since then is left out by the next page that is read.
  const threads = rows.map((row): ThreadInState => ({ ...listedThread(row), status: state, next: [] }));
  return { threads: await withOpenTasks(run, threads), ...nextOf(rows, rows.length === limit) };
}

/** Looks at the threads with the latest activity for those in a state. */
async function threadsInState(
  run: CallRun,
  query: ThreadsQuery,
  state: ThreadInState["status"],
): Promise<ThreadsPage> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listRecentThreads(run.call, recentScope(query), MAX_LOOKED);
  const threads = await withStates(run, rows.map(listedThread));
  const found = [...threads.entries()].filter(([, { status }]) => status === state).slice(0, limit);
  const looked = found.length === limit ? (found.at(-1)?.[0] ?? 0) + 1 : rows.length;
  return {
    threads: await withOpenTasks(
      run,
      found.map(([, thread]) => thread),
    ),
    looked,
    ...nextOf(rows.slice(0, looked), looked < rows.length || rows.length === MAX_LOOKED),
  };
}

function recentScope({ search, filter, after, before }: ThreadsQuery): RecentScope {
  const encoded = encodeFilter(filter, "args.filter");
  const beginning = before === undefined ? undefined : { place: idsFrom(new Date(before)), threadId: "" };
  return {
    after: after === undefined ? beginning : parseCursor(after),
    search: textOf(search),
    filter: encoded?.contained,
    unlike: encoded?.notContained,
  };
}

function nextOf(rows: readonly RecentThreadRow[], hasMore: boolean): Pick<ThreadsPage, "next"> {
  const last = rows.at(-1);
  return last !== undefined && hasMore ? { next: JSON.stringify([last.place, last.thread_id]) } : {};
}

function textOf(search: string | undefined): string | undefined {
  return search === "" ? undefined : search;
}

const cursor = z.tuple([keyText, keyText]);

function parseCursor(text: string): { readonly place: string; readonly threadId: string } {
  const [place, id] = cursor.safeParse(jsonOf(text)).data ?? [];
  if (place === undefined || id === undefined) {
    throw new InvalidConfigError("args.after", "must be the cursor of a page in this order");
  }
  return { place, threadId: id };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
