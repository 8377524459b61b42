import { wordsOf } from "../../db/stored-words.js";
import type { ThreadsPage, ThreadsQuery } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { hasOptionalIndex } from "../queries/has-optional-index.js";
import { listRecentThreads } from "../queries/list-recent-threads.js";
import { listOpenThreads } from "../queries/open-threads.js";
import type { RecentThreadRow } from "../queries/recent-threads.js";
import { threadsWithWords } from "../queries/threads-with-words.js";
import { isOpen, listedThread } from "../threads/describe-threads.js";
import { DEFAULT_LIMIT, MAX_LOOKED, nextOf, openScope, recentScope } from "../threads/thread-scope.js";
import { finderOf } from "./excerpt-of.js";
import { searchThreads } from "./search-threads.js";

/**
 * Lists the threads in whose current state a text occurs. The index finds those with its words, in any version of their values; the current
 * ones are then searched for the text itself. Without the index, or where the words are too common, it searches the latest threads.
 */
export async function listFoundThreads(
  run: CallRun,
  query: ThreadsQuery,
  text: string,
): Promise<ThreadsPage> {
  const { state, limit = DEFAULT_LIMIT } = query;
  const words = wordsOf(text.trim());
  const isIndexed = words.length > 0 && (await hasOptionalIndex(run.call, "text-index"));
  const among = isIndexed ? await threadsWithWords(run.call, words) : undefined;
  const rows = await listRows(run, query, among);
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

async function listRows(
  run: CallRun,
  query: ThreadsQuery,
  among: readonly string[] | undefined,
): Promise<RecentThreadRow[]> {
  if (isOpen(query.state) && (await hasOptionalIndex(run.call, "waiting-index")))
    return listOpenThreads(run.call, { ...openScope(query), among }, MAX_LOOKED);
  return listRecentThreads(run.call, { ...recentScope(query), among }, MAX_LOOKED);
}
