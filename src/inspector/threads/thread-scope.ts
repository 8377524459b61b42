import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { keyText } from "../../parsing/keys.js";
import { idsFrom } from "../../saver/model/checkpoint-time.js";
import type { ListedThreads, ThreadsQuery } from "../api/threads.js";
import { parseIfJson } from "../values/readable-json.js";
import type { ThreadsScope } from "../queries/thread-conditions.js";
import type { ThreadListName, ThreadPageRow } from "../queries/thread-pages.js";

export const DEFAULT_LIMIT = 50;
/** How many threads an answer is about at most, where no index finds those that were asked for. */
export const MAX_LOOKED = 1_000;

/** The conditions of a list by last activity, or of threads that wait or have failed. */
export function scopeOfQuery(query: ThreadsQuery, list: Exclude<ThreadListName, "byId">): ThreadsScope {
  const { filter, after, before, since } = query;
  const encoded = encodeFilter(filter, "args.filter");
  const [from, to] = [since, before].map((time) => (time === undefined ? time : idsFrom(new Date(time))));
  // A list by last activity begins there, as after a page.
  const beginning = list !== "recent" || to === undefined ? undefined : { place: to, threadId: "" };
  return {
    after: after === undefined ? beginning : parseCursor(after),
    before: list === "recent" ? undefined : to,
    since: from,
    filter: encoded?.contained,
    unlike: encoded?.notContained,
    oldestFirst: list !== "recent" && query.order === "oldest",
  };
}

/** The cursor of the next page. */
export function nextOf(rows: readonly ThreadPageRow[], hasMore: boolean): Pick<ListedThreads, "next"> {
  const last = rows.at(-1);
  return last !== undefined && hasMore ? { next: JSON.stringify([last.place, last.thread_id]) } : {};
}

const cursor = z.tuple([keyText, keyText]);

function parseCursor(text: string): { readonly place: string; readonly threadId: string } {
  const [place, id] = cursor.safeParse(parseIfJson(text)).data ?? [];
  if (place === undefined || id === undefined) {
    throw new InvalidConfigError("args.after", "must be the cursor of a page in this order");
  }
  return { place, threadId: id };
}
