import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { keyText } from "../../parsing/keys.js";
import { idsFrom } from "../../saver/model/checkpoint-time.js";
import type { ThreadsPage, ThreadsQuery } from "../api/threads.js";
import type { OpenScope } from "../queries/open-threads.js";
import type { RecentScope, RecentThreadRow } from "../queries/recent-threads.js";

export const DEFAULT_LIMIT = 50;
/** How many threads an answer is about at most, where no index finds those that were asked for. */
export const MAX_LOOKED = 1_000;

/** The conditions of a list by last activity. */
export function recentScope({ search, filter, after, before, since }: ThreadsQuery): RecentScope {
  const encoded = encodeFilter(filter, "args.filter");
  const beginning = before === undefined ? undefined : { place: idsFrom(new Date(before)), threadId: "" };
  return {
    after: after === undefined ? beginning : parseCursor(after),
    search: textOf(search),
    among: undefined,
    since: placeOf(since),
    filter: encoded?.contained,
    unlike: encoded?.notContained,
  };
}

/** The conditions of a list of threads that wait or have failed. */
export function openScope(query: ThreadsQuery): OpenScope {
  return {
    ...recentScope({ ...query, before: undefined }),
    failed: query.state === "failed",
    oldestFirst: query.order === "oldest",
    before: placeOf(query.before),
  };
}

function placeOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : idsFrom(new Date(time));
}

/** The cursor of the next page. */
export function nextOf(rows: readonly RecentThreadRow[], hasMore: boolean): Pick<ThreadsPage, "next"> {
  const last = rows.at(-1);
  return last !== undefined && hasMore ? { next: JSON.stringify([last.place, last.thread_id]) } : {};
}

/** A text to look for in ids. An empty one is none. */
export function textOf(search: string | undefined): string | undefined {
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
