import { z } from "zod";
import { runTransaction } from "../../db/statements/run-statement.js";
import { selectTombstones } from "../../saver/queries/tombstones.js";
import type { NamespaceSummary } from "../api/threads.js";
import { getHistoryPoints } from "../queries/get-history-points.js";
import { readableColumns } from "../queries/catalog.js";
import { listNamespacesOfThread } from "../queries/namespaces-of-thread.js";
import { drawGraph } from "../picture/draw-graph.js";
import { viewOpenThread } from "../runs/read-open-thread.js";
import { viewThreadGraphs } from "../runs/thread-graphs.js";
import { pointsOf, storedTimeOf } from "../states/point-of.js";
import { readStates } from "../states/read-states.js";
import { checkpointId, limitUpTo, namespacePlace, threadArgs, checkpointPlace } from "./args.js";
import type { CallRun, ReadDefinitions } from "./call-definition.js";
import { keyText } from "../../parsing/keys.js";
import type { MessageKey } from "../api/story.js";
import { findMessages } from "../story/written-messages.js";
import { searchThread } from "../search/search-thread.js";
import { readStory } from "../story/read-story.js";

const DEFAULT_LIMIT = 500;
/** A thread has a namespace for each run of a subgraph. */
const MAX_NAMESPACES = 1_000;

export const threadCalls: ReadDefinitions<"thread" | "graphs" | "graphPicture" | "openThread" | "history"> = {
  thread: {
    args: threadArgs,
    run: async (run, args) => {
      const [namespaces, deletedAt] = await Promise.all([
        namespacesOf(run, args.threadId),
        deletionOf(run, args.threadId),
      ]);
      return { ...args, ...namespaces, ...(deletedAt !== undefined && { deletedAt }) };
    },
  },
  graphs: { args: threadArgs.extend({ checkpointId }), run: viewThreadGraphs },
  graphPicture: {
    args: threadArgs.extend({ checkpointId, graph: z.string(), isOlder: z.boolean() }),
    run: drawGraph,
  },
  openThread: { args: threadArgs, run: (run, args) => viewOpenThread(run, args.threadId) },
  history: {
    args: namespacePlace.extend({ before: checkpointId.optional(), limit: limitUpTo(2_000) }),
    run: async (run, { before, limit = DEFAULT_LIMIT, ...place }) => {
      const rows = await getHistoryPoints(run.call, { ...place, before, limit: limit + 1 });
      const points = await pointsOf(run, place.threadId, rows.slice(0, limit));
      return { points, hasMore: rows.length > limit };
    },
  },
};

async function namespacesOf(run: CallRun, id: string) {
  const rows = await listNamespacesOfThread(run.call, { threadId: id, limit: MAX_NAMESPACES });
  const places = rows.map((row) => ({
    threadId: id,
    namespace: row.checkpoint_ns,
    checkpointId: row.checkpoint_id,
  }));
  const states = await readStates(run, places);
  const namespaces = rows.map((row, index): NamespaceSummary => ({
    namespace: row.checkpoint_ns,
    checkpoints: row.checkpoints,
    checkpointId: row.checkpoint_id,
    updatedAt: storedTimeOf(row.checkpoint_id, row.ts),
    ...(states[index] ?? { status: "done", next: [] }),
  }));
  const omitted = (rows[0]?.namespaces ?? 0) - rows.length;
  return { namespaces, ...(omitted > 0 && { omitted }) };
}

/**
 * The time of the thread's tombstone, in milliseconds since 1970. The tables of the official savers have no tombstones, and a role that was
 * made for them may not read ours.
 */
async function deletionOf({ call }: CallRun, id: string): Promise<number | undefined> {
  if ((await readableColumns(call, ["checkpoint_tombstones"])).length === 0) return undefined;
  const [rows = []] = await runTransaction(call, { statements: [selectTombstones(call.schema, [id])] });
  return rows[0] && Number(rows[0].deleted_at_ms);
}

const DEFAULT_STEPS = 50;
const MAX_MESSAGES = 50;
const text = z.string().max(1_000);

const messageKey = z
  .strictObject({
    role: z.enum(["human", "ai", "system", "tool", "remove", "other"]),
    id: z.string().optional(),
    toolCallId: z.string().optional(),
    text: text.optional(),
  })
  .transform(({ role, id, toolCallId, text: start }): MessageKey => ({
    role,
    ...(id !== undefined && { id }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(start !== undefined && { text: start }),
  }));

export const storyCalls: ReadDefinitions<"story" | "findMessages" | "searchThread"> = {
  story: {
    args: namespacePlace.extend({ before: checkpointId.optional(), limit: limitUpTo(200) }),
    run: (run, { before, limit = DEFAULT_STEPS, ...place }) => readStory(run, { ...place, before, limit }),
  },
  searchThread: {
    args: threadArgs.extend({ search: keyText.max(500), before: checkpointId.optional() }),
    run: searchThread,
  },
  findMessages: {
    args: checkpointPlace.extend({
      channel: keyText,
      messages: z.array(messageKey).max(MAX_MESSAGES),
      followedBy: messageKey.optional(),
    }),
    run: findMessages,
  },
};
