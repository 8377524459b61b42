import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { keyText, recordOf } from "../../parsing/keys.js";
import { parseThreadQuery } from "../../threads/boundary/parse-threads.js";
import { listThreadRows } from "../../threads/queries/list-thread-rows.js";
import type { ThreadRow, ThreadsPage, ThreadsQuery } from "../api/threads.js";
import { listRecentThreads } from "../queries/list-recent-threads.js";
import { measureThreads } from "../queries/thread-sizes.js";
import { stepAndSource, timeOf } from "../states/point-of.js";
import { readStates } from "../states/read-states.js";
import { limitUpTo, threadId } from "./args.js";
import type { CallRun, ReadDefinitions } from "./call-definition.js";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export const threadsCalls: ReadDefinitions<"threads" | "threadSizes"> = {
  threads: {
    args: z.strictObject({
      search: keyText.optional(),
      filter: recordOf(z.string(), z.unknown()).optional(),
      order: z.enum(["id", "recent"]).optional(),
      // Longer than a thread id, which a cursor contains.
      after: z.string().max(20_000).optional(),
      limit: limitUpTo(MAX_LIMIT),
    }),
    run: (run, query) => (query.order === "recent" ? recentThreads(run, query) : threadsById(run, query)),
  },
  threadSizes: {
    args: z.strictObject({ threadIds: z.array(threadId).max(MAX_LIMIT) }),
    run: async ({ call }, { threadIds }) => {
      const sizes = await measureThreads(call, [...new Set(threadIds)]);
      return { bytes: Object.fromEntries(sizes.map(({ thread_id: id, bytes }) => [id, bytes])) };
    },
  },
};

async function threadsById(
  run: CallRun,
  { search, filter, after, limit = DEFAULT_LIMIT }: ThreadsQuery,
): Promise<ThreadsPage> {
  const { scope } = parseThreadQuery({ after, filter, limit });
  // Its rows and not what `listThreads` makes of them, which fails at a damaged one: that must not hide the others.
  const rows = await listThreadRows(run.call, { ...scope, search: textOf(search) }, limit);
  const threads = rows.map((row) => ({
    threadId: row.thread_id,
    namespace: row.checkpoint_ns,
    checkpointId: row.checkpoint_id,
    updatedAt: timeOf(row.checkpoint_id, row.ts),
    ...stepAndSource(metadataSchema.parse(JSON.parse(row.metadata ?? "null"))),
    checkpoints: row.checkpoints,
    namespaces: row.namespaces,
  }));
  return {
    threads: await withStates(run, threads),
    ...(rows.length === limit && { next: rows.at(-1)?.thread_id ?? "" }),
  };
}

const metadataSchema = z
  .object({
    step: z.int().transform(String).nullable().catch(null),
    source: z.string().nullable().catch(null),
  })
  .catch({ step: null, source: null });

async function recentThreads(
  run: CallRun,
  { search, filter, after, limit = DEFAULT_LIMIT }: ThreadsQuery,
): Promise<ThreadsPage> {
  const encoded = encodeFilter(filter, "args.filter");
  const scope = {
    after: after === undefined ? undefined : parseCursor(after),
    search: textOf(search),
    filter: encoded?.contained,
    unlike: encoded?.notContained,
  };
  const rows = await listRecentThreads(run.call, scope, limit);
  const threads = rows.map((row) => ({
    threadId: row.thread_id,
    namespace: row.checkpoint_ns,
    checkpointId: row.checkpoint_id,
    updatedAt: timeOf(row.checkpoint_id, row.ts),
    ...stepAndSource(row),
    checkpoints: row.checkpoints,
    namespaces: row.namespaces,
  }));
  const last = rows.at(-1);
  return {
    threads: await withStates(run, threads),
    ...(last !== undefined &&
      rows.length === limit && { next: JSON.stringify([last.place, last.thread_id]) }),
  };
}

async function withStates(
  run: CallRun,
  threads: readonly Omit<ThreadRow, "status" | "next">[],
): Promise<ThreadRow[]> {
  const states = await readStates(run, threads);
  return threads.map((thread, index) => ({ ...thread, ...(states[index] ?? { status: "done", next: [] }) }));
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
