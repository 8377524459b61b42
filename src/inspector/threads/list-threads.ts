import { placementOf } from "../../db/placement/placement.js";
import { parseThreadQuery } from "../../threads/boundary/parse-thread-queries.js";
import { listThreadRows } from "../../threads/queries/list-thread-rows.js";
import type { ThreadCounts, ListedThreads, ThreadRow, ThreadsQuery, ThreadStatus } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { hasOptionalIndex } from "../../migrations/indexes/has-optional-index.js";
import { countOpenThreads } from "../queries/open-threads.js";
import { listThreadPage, type ThreadPageRow } from "../queries/thread-pages.js";
import { searchCandidates } from "../search/search-candidates.js";
import { type SearchTerm, termsOf } from "../search/excerpt-of.js";
import { searchThreads } from "../search/search-threads.js";
import {
  isOpen,
  listedThread,
  pagedThread,
  type ThreadInState,
  withConversations,
  withOpenTasks,
  withStates,
} from "./describe-threads.js";
import { readLastMessages } from "./last-messages.js";
import { factsOfMetadata } from "./metadata-facts.js";
import { DEFAULT_LIMIT, MAX_LOOKED, nextOf, scopeOfQuery } from "./thread-scope.js";

/** Lists threads. */
export async function answerThreads(run: CallRun, query: ThreadsQuery): Promise<ListedThreads> {
  const { search = "", state, order, before, since } = query;
  const terms = termsOf(search);
  if (terms.length > 0) return listFoundThreads(run, query, terms);
  if (query.failedTools === true) return threadsWithFailedTools(run, query);
  const list = await listOf(run, state);
  if (list !== "recent") return openThreads(run, query, list);
  if (state !== undefined) return threadsInState(run, query, state);
  return order === "id" && before === undefined && since === undefined
    ? threadsById(run, query)
    : recentThreads(run, query);
}

/** The list that has the threads in a state: that of the index, or all of them. */
async function listOf({ call }: CallRun, state: ThreadStatus | undefined) {
  return isOpen(state) && (await hasOptionalIndex(call, "waiting-index")) ? state : "recent";
}

async function threadsById(run: CallRun, query: ThreadsQuery): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const threads = await listById(run, query, limit);
  return {
    threads: await withOpenTasks(run, await withStates(run, threads)),
    ...(threads.length === limit && { next: threads.at(-1)?.threadId ?? "" }),
  };
}

async function listById({ call }: CallRun, { filter, after }: ThreadsQuery, limit: number) {
  const { scope } = parseThreadQuery({ after, filter, limit });
  if (scope.filter !== undefined && !(await placementOf(call)).isOnNodes) {
    const place = after === undefined ? undefined : { place: "", threadId: after };
    return (await listThreadPage(call, "byId", { ...scope, after: place }, limit)).map(pagedThread);
  }
  // Its rows and not what `listThreads` makes of them, which fails at a damaged one: that must not hide the others.
  const rows = await listThreadRows(call, scope, limit);
  return rows.map((row) => listedThread(row, factsOfMetadata(row.metadata)));
}

async function recentThreads(run: CallRun, query: ThreadsQuery): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, "recent", scopeOfQuery(query, "recent"), limit);
  return {
    threads: await withOpenTasks(run, await withStates(run, rows.map(pagedThread))),
    ...nextOf(rows, rows.length === limit),
  };
}

/** Lists threads that wait or have failed, by the index of these. */
async function openThreads(
  run: CallRun,
  query: ThreadsQuery,
  state: "interrupted" | "failed",
): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, state, scopeOfQuery(query, state), limit);
  // What has been answered since then is left out by the next page that is read.
  const threads = rows.map((row): ThreadInState => ({ ...pagedThread(row), status: state, next: [] }));
  return {
    threads: await withOpenTasks(run, await withConversations(run, threads)),
    ...nextOf(rows, rows.length === limit),
  };
}

/** Looks at the threads with the latest activity for those in a state. */
async function threadsInState(
  run: CallRun,
  query: ThreadsQuery,
  state: ThreadInState["status"],
): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, "recent", scopeOfQuery(query, "recent"), MAX_LOOKED);
  const threads = await withStates(run, rows.map(pagedThread));
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

/** How many conversations are read at the same time, and how many bytes of them for an answer. */
const BATCH = 50;
const MAX_BYTES = 64 * 1_024 * 1_024;

/** Looks at the conversations of the threads with the latest activity for tools that have failed. */
async function threadsWithFailedTools(run: CallRun, query: ThreadsQuery): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, "recent", scopeOfQuery(query, "recent"), MAX_LOOKED);
  const found: ThreadPageRow[] = [];
  let [looked, bytes] = [0, 0];
  while (looked < rows.length && found.length < limit && bytes < MAX_BYTES) {
    const batch = rows.slice(looked, looked + BATCH);
    const ends = await readLastMessages(
      run,
      batch.map(({ thread_id: id }) => id),
    );
    bytes += ends.bytes;
    for (const row of batch) {
      looked += 1;
      if (ends.messages.get(row.thread_id)?.failedTools !== undefined) found.push(row);
      if (found.length === limit) break;
    }
  }
  return {
    threads: await withOpenTasks(run, await withStates(run, found.map(pagedThread))),
    looked,
    ...nextOf(rows.slice(0, looked), looked < rows.length || rows.length === MAX_LOOKED),
  };
}

/**
 * Lists the threads that have all terms of a search. Indexes find those that may have them, in any version of their values; what is there now
 * is then searched. Without them, or where the words are too common, it searches the latest threads, after those whose names have the terms.
 */
async function listFoundThreads(
  run: CallRun,
  query: ThreadsQuery,
  terms: readonly SearchTerm[],
): Promise<ListedThreads> {
  const { state, limit = DEFAULT_LIMIT, after, failedTools } = query;
  const list = await listOf(run, state);
  const scope = scopeOfQuery(query, list);
  const { isIndexed, among, named } = await searchCandidates(run, terms, after === undefined);
  const search = async (ids: readonly string[] | undefined) => {
    const rows = await listThreadPage(run.call, list, { ...scope, among: ids }, MAX_LOOKED);
    return { rows, ...(await searchThreads(run, rows.map(pagedThread), { terms, state, limit })) };
  };
  const first = after === undefined && named.length > 0 ? (await search(named)).threads : [];
  const { rows, threads, looked, unread } = await search(among);
  const known = new Set(first.map(({ threadId }) => threadId));
  const found = [...first, ...threads.filter(({ threadId }) => !known.has(threadId))];
  return {
    threads: failedTools === true ? await ofFailedTools(run, found) : found,
    looked,
    ...(isIndexed && { byWords: among !== undefined }),
    ...(unread > 0 && { unread }),
    ...nextOf(rows.slice(0, looked), looked < rows.length || rows.length === MAX_LOOKED),
  };
}

async function ofFailedTools(run: CallRun, threads: readonly ThreadRow[]): Promise<ThreadRow[]> {
  const { messages } = await readLastMessages(
    run,
    threads.map(({ threadId }) => threadId),
  );
  return threads.filter(({ threadId }) => messages.get(threadId)?.failedTools !== undefined);
}

/** Counts the threads in each state: among those with the latest activity, and all that wait or have failed where an index knows them. */
export async function countThreads(run: CallRun): Promise<ThreadCounts> {
  const [rows, open] = await Promise.all([
    listThreadPage(run.call, "recent", {}, MAX_LOOKED + 1),
    // At the same time, though it is in vain where there are few threads: for many, each of the two takes long.
    countByIndex(run),
  ]);
  const looked = await withStates(run, rows.slice(0, MAX_LOOKED).map(pagedThread));
  const counts = { failed: 0, interrupted: 0, pending: 0, done: 0 };
  for (const { status } of looked) counts[status]++;
  if (rows.length <= MAX_LOOKED) return { counts, counted: ALL, looked: looked.length };
  if (open === undefined) return { counts, counted: [], looked: looked.length };
  return { counts: { ...counts, ...open }, counted: ["failed", "interrupted"], looked: looked.length };
}

async function countByIndex({ call }: CallRun) {
  return (await hasOptionalIndex(call, "waiting-index")) ? countOpenThreads(call) : undefined;
}

const ALL: readonly ThreadStatus[] = ["failed", "interrupted", "pending", "done"];
