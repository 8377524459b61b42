import { z } from "zod";
import { runTransaction } from "../../db/statements/run-statement.js";
import { selectTombstones } from "../../saver/queries/tombstones.js";
import type { NamespaceSummary } from "../api/threads.js";
import { getHistoryPoints } from "../queries/get-history-points.js";
import { readableColumns } from "../queries/readable-columns.js";
import { listNamespaces } from "../queries/namespaces-of-thread.js";
import { viewOpenThread } from "../runs/read-open-thread.js";
import { viewThreadGraphs } from "../runs/thread-graphs.js";
import { pointOf, timeOf } from "../states/point-of.js";
import { readStates } from "../states/read-states.js";
import { checkpointId, limitUpTo, namespacePlace, threadId } from "./args.js";
import type { CallRun, ReadDefinitions } from "./call-definition.js";

const DEFAULT_LIMIT = 500;
/** A thread has a namespace for each run of a subgraph. */
const MAX_NAMESPACES = 1_000;

export const threadCalls: ReadDefinitions<"thread" | "graphs" | "openThread" | "history"> = {
  thread: {
    args: z.strictObject({ threadId }),
    run: async (run, args) => {
      const [namespaces, deletedAt] = await Promise.all([
        namespacesOf(run, args.threadId),
        deletionOf(run, args.threadId),
      ]);
      return {
        ...args,
        ...namespaces,
        ...(deletedAt !== undefined && { deletedAt }),
      };
    },
  },
  graphs: { args: z.strictObject({ threadId, checkpointId }), run: viewThreadGraphs },
  openThread: { args: z.strictObject({ threadId }), run: (run, args) => viewOpenThread(run, args.threadId) },
  history: {
    args: namespacePlace.extend({ before: checkpointId.optional(), limit: limitUpTo(2_000) }),
    run: async ({ call }, { before, limit = DEFAULT_LIMIT, ...place }) => {
      const rows = await getHistoryPoints(call, { ...place, before, limit: limit + 1 });
      return { points: rows.slice(0, limit).map(pointOf), hasMore: rows.length > limit };
    },
  },
};

async function namespacesOf(run: CallRun, id: string) {
  const rows = await listNamespaces(run.call, { threadId: id, limit: MAX_NAMESPACES });
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
    updatedAt: timeOf(row.checkpoint_id, row.ts),
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
