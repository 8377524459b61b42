import { z } from "zod";
import { keyText, recordOf } from "../../parsing/keys.js";
import { bytesOfThreads } from "../queries/stored-sizes.js";
import { countThreads, answerThreads } from "../threads/list-threads.js";
import { readLastMessages } from "../threads/last-messages.js";
import { suggestMetadata } from "../threads/suggest-metadata.js";
import { limitUpTo } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const MAX_LIMIT = 200;
/** The largest time of a Date. */
const MAX_TIME = 8.64e15;
const time = z.number().int().min(0).max(MAX_TIME);
/** Longer than what a person types, and shorter than the longest word of an index. */
const MAX_TEXT = 500;

const listedArgs = z.strictObject({ threadIds: z.array(keyText).max(MAX_LIMIT) });

export const threadsCalls: ReadDefinitions<
  "threads" | "threadCounts" | "metadataSuggestions" | "threadSizes" | "lastMessages"
> = {
  threads: {
    args: z.strictObject({
      search: keyText.max(MAX_TEXT).optional(),
      filter: recordOf(z.string(), z.unknown()).optional(),
      state: z.enum(["failed", "interrupted", "pending", "done"]).optional(),
      failedTools: z.boolean().optional(),
      before: time.optional(),
      since: time.optional(),
      order: z.enum(["id", "recent", "oldest"]).optional(),
      // Longer than a thread id, which a cursor contains.
      after: z.string().max(20_000).optional(),
      limit: limitUpTo(MAX_LIMIT),
    }),
    run: (run, query) => answerThreads(run, { order: "id", ...query }),
  },
  threadCounts: { args: z.strictObject({}), run: countThreads },
  metadataSuggestions: {
    args: z.strictObject({}),
    run: async (run) => ({ suggestions: await suggestMetadata(run) }),
  },
  lastMessages: {
    args: listedArgs,
    run: async (run, { threadIds }) => {
      const { messages } = await readLastMessages(run, [...new Set(threadIds)]);
      return { messages: Object.fromEntries(messages) };
    },
  },
  threadSizes: {
    args: listedArgs,
    run: async ({ call }, { threadIds }) => {
      const sizes = await bytesOfThreads(call, [...new Set(threadIds)]);
      return { bytes: Object.fromEntries(sizes.map(({ thread_id: id, bytes }) => [id, bytes])) };
    },
  },
};
