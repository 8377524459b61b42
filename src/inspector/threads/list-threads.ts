import { z } from "zod";
import { parseThreadQuery } from "../../threads/boundary/parse-threads.js";
import type { ThreadsPage, ThreadsQuery } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { listMatchingThreads } from "../queries/list-matching-threads.js";
import { listRecentThreads } from "../queries/list-recent-threads.js";
import { listOpenThreads } from "../queries/open-threads.js";
import { hasOptionalIndex } from "../queries/has-optional-index.js";
import { listFoundThreads } from "../search/list-found-threads.js";
import { DEFAULT_LIMIT, MAX_LOOKED, nextOf, openScope, recentScope, textOf } from "./thread-scope.js";
import { isOpen, listedThread, type ThreadInState, withOpenTasks, withStates } from "./describe-threads.js";

/** Lists threads. */
export async function listThreads(run: CallRun, query: ThreadsQuery): Promise<ThreadsPage> {
  const { text, state, order, before, since } = query;
  if (text !== undefined && text.trim() !== "") return listFoundThreads(run, query, text);
  if (state !== undefined) {
    if (isOpen(state) && (await hasOptionalIndex(run.call, "waiting-index")))
      return openThreads(run, query, state);
    return threadsInState(run, query, state);
  }
  return order === "id" && before === undefined && since === undefined
    ? threadsById(run, query)
    : recentThreads(run, query);
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
  const { limit = DEFAULT_LIMIT } = query;
  const rows = await listOpenThreads(run.call, openScope(query), limit);
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
