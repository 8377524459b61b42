import { z } from "zod";
import { placementOf } from "../../db/placement/placement.js";
import { wordsOf } from "../../db/stored-words.js";
import { parseThreadQuery } from "../../threads/boundary/parse-thread-queries.js";
import { listThreadRows } from "../../threads/queries/list-thread-rows.js";
import type { ThreadCounts, ListedThreads, ThreadsQuery, ThreadStatus } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { hasOptionalIndex } from "../queries/catalog.js";
import { countOpenThreads } from "../queries/open-threads.js";
import { listThreadPage } from "../queries/thread-pages.js";
import { threadsWithWords } from "../queries/threads-with-words.js";
import { finderOf } from "../search/excerpt-of.js";
import { searchThreads } from "../search/search-threads.js";
import { isOpen, listedThread, type ThreadInState, withOpenTasks, withStates } from "./describe-threads.js";
import { DEFAULT_LIMIT, MAX_LOOKED, nextOf, scopeOfQuery, searchedText } from "./thread-scope.js";

/** Lists threads. */
export async function answerThreads(run: CallRun, query: ThreadsQuery): Promise<ListedThreads> {
  const { text, state, order, before, since } = query;
  if (text !== undefined && text.trim() !== "") return listFoundThreads(run, query, text);
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

async function listById({ call }: CallRun, { search, filter, after }: ThreadsQuery, limit: number) {
  const { scope } = parseThreadQuery({ after, filter, limit });
  const given = { ...scope, search: searchedText(search) };
  if (scope.filter !== undefined && !(await placementOf(call)).isOnNodes) {
    const place = after === undefined ? undefined : { place: "", threadId: after };
    return (await listThreadPage(call, "byId", { ...given, after: place }, limit)).map(listedThread);
  }
  // Its rows and not what `listThreads` makes of them, which fails at a damaged one: that must not hide the others.
  const rows = await listThreadRows(call, given, limit);
  return rows.map((row) =>
    listedThread({ ...row, ...metadataSchema.parse(JSON.parse(row.metadata ?? "null")) }),
  );
}

const metadataSchema = z
  .object({
    step: z.int().transform(String).nullable().catch(null),
    source: z.string().nullable().catch(null),
  })
  .catch({ step: null, source: null });

async function recentThreads(run: CallRun, query: ThreadsQuery): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, "recent", scopeOfQuery(query, "recent"), limit);
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
): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, state, scopeOfQuery(query, state), limit);
  // What has been answered since then is left out by the next page that is read.
  const threads = rows.map((row): ThreadInState => ({ ...listedThread(row), status: state, next: [] }));
  return { threads: await withOpenTasks(run, threads), ...nextOf(rows, rows.length === limit) };
}

/** Looks at the threads with the latest activity for those in a state. */
async function threadsInState(
  run: CallRun,
  query: ThreadsQuery,
  state: ThreadInState["status"],
): Promise<ListedThreads> {
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listThreadPage(run.call, "recent", scopeOfQuery(query, "recent"), MAX_LOOKED);
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

/**
 * Lists the threads in whose current state a text occurs. The index finds those with its words, in any version of their values; the current
 * ones are then searched for the text itself. Without the index, or where the words are too common, it searches the latest threads.
 */
async function listFoundThreads(run: CallRun, query: ThreadsQuery, text: string): Promise<ListedThreads> {
  const { state, limit = DEFAULT_LIMIT } = query;
  const words = wordsOf(text.trim());
  const isIndexed = words.length > 0 && (await hasOptionalIndex(run.call, "text-index"));
  const among = isIndexed ? await threadsWithWords(run.call, words) : undefined;
  const list = await listOf(run, state);
  const rows = await listThreadPage(run.call, list, { ...scopeOfQuery(query, list), among }, MAX_LOOKED);
  const { threads, looked, unread } = await searchThreads(run, rows.map(listedThread), {
    finder: finderOf(text),
    state,
    limit,
  });
  return {
    ...{ threads, looked },
    ...(isIndexed && { byWords: among !== undefined }),
    ...(unread > 0 && { unread }),
    ...nextOf(rows.slice(0, looked), looked < rows.length || rows.length === MAX_LOOKED),
  };
}

/** Counts the threads in each state: among those with the latest activity, and all that wait or have failed where an index knows them. */
export async function countThreads(run: CallRun): Promise<ThreadCounts> {
  const [rows, open] = await Promise.all([
    listThreadPage(run.call, "recent", {}, MAX_LOOKED + 1),
    // At the same time, though it is in vain where there are few threads: for many, each of the two takes long.
    countByIndex(run),
  ]);
  const looked = await withStates(run, rows.slice(0, MAX_LOOKED).map(listedThread));
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
