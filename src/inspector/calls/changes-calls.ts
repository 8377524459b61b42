import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { keyText, recordOf } from "../../parsing/keys.js";
import type { DeletedRows, PruneRule } from "../api/storage-views.js";
import { explainDeltas, prepareFork } from "../checkpoints/prepare-fork.js";
import { getSurroundings } from "../queries/surroundings.js";
import { configOfPlace, checkpointNotFound, createdCheckpoint } from "../stored-values/read-stored-value.js";
import { checkUpdate, updateState } from "../runs/update-state.js";
import { checkpointId, checkpointPlace, threadArgs } from "./args.js";
import type { CallRun, ReadDefinitions, WriteDefinitions } from "./call-definition.js";

const forkArgs = checkpointPlace.extend({ values: recordOf(keyText, z.unknown()) });
const updateArgs = z.strictObject({
  threadId: keyText,
  checkpointId,
  graph: z.string(),
  node: z.string().optional(),
  values: recordOf(keyText, z.unknown()),
});
const pruneArgs = z
  .strictObject({
    threadId: keyText.optional(),
    keepLast: z.number().int().min(1).optional(),
    olderThanMs: z.number().min(0).optional(),
  })
  .refine(
    ({ keepLast, olderThanMs }) => keepLast !== undefined || olderThanMs !== undefined,
    "must have keepLast or olderThanMs",
  );

export const checkCalls: ReadDefinitions<"checkPrune"> = {
  checkPrune: { args: pruneArgs, run: (run, rule) => prune(run, rule, true) },
};

export const changesCalls: WriteDefinitions<
  "fork" | "checkUpdate" | "updateState" | "rollback" | "copyThread" | "deleteThread" | "prune"
> = {
  fork: {
    action: "fork",
    args: forkArgs,
    run: async (run, request) => {
      const { values, checkpointIds } = await prepareFork(run, request);
      const { threadId, namespace } = request;
      const saver = await run.context.writerFor({ threadId, namespace, checkpointIds });
      const config = await explainDeltas(() =>
        saver.fork(configOfPlace(request), { values, signal: run.signal }),
      );
      return createdCheckpoint(config);
    },
  },
  // It runs reducers and edges of the graph with what the person has entered.
  checkUpdate: { action: "update", args: updateArgs, run: checkUpdate },
  updateState: { action: "update", args: updateArgs, run: updateState },
  rollback: {
    action: "edit",
    args: checkpointPlace,
    run: async (run, place) => {
      const { threadId, namespace, checkpointId } = place;
      const around = await getSurroundings(run.call, place, 0);
      if (around === undefined) throw checkpointNotFound(place);
      const checkpointIds = [...new Set([checkpointId, around.newest])];
      const saver = await run.context.writerFor({ threadId, namespace, checkpointIds });
      const config = await explainDeltas(() =>
        saver.rollback(threadId, checkpointId, { checkpointNs: namespace, signal: run.signal }),
      );
      return createdCheckpoint(config);
    },
  },
  copyThread: {
    action: "edit",
    args: z.strictObject({ source: keyText, target: keyText }),
    run: async ({ context, signal }, { source, target }) => {
      const { checkpoints, blobs, writes, bytes } = await context.saver.copyThread(source, target, {
        signal,
      });
      if (checkpoints + blobs + writes > 0 || (await hasRows(context, source, signal))) {
        return { checkpoints, values: blobs, writes, bytes };
      }
      throw new InvalidConfigError("args.source", "is a thread without checkpoints");
    },
  },
  deleteThread: {
    action: "delete",
    args: threadArgs,
    run: async ({ context, signal }, args) => {
      await context.saver.deleteThread(args.threadId, { signal });
      return {};
    },
  },
  prune: { action: "delete", args: pruneArgs, run: (run, rule) => prune(run, rule, false) },
};

async function prune({ context, signal }: CallRun, rule: PruneRule, dryRun: boolean): Promise<DeletedRows> {
  const { threadId, keepLast, olderThanMs } = rule;
  const threads = threadId === undefined ? undefined : [threadId];
  const { blobs, checkpoints, ...report } = await context.saver.prune({
    threads,
    keepLast,
    olderThanMs,
    dryRun,
    signal,
  });
  return { threads: report.threads, checkpoints, values: blobs, writes: report.writes, bytes: report.bytes };
}

/** Nothing is copied a second time, which is no failure. */
async function hasRows({ saver }: CallRun["context"], source: string, signal: AbortSignal): Promise<boolean> {
  const { total } = await saver.storage({ threadId: source, limit: 1, signal });
  return total.checkpoints + total.blobs + total.writes > 0;
}
