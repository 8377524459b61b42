import type { PendingWrite } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../../src/index.js";
import { type BadInput, invalid, LONG_KEY, type NamedError, throwingProxy, unstorable } from "./bad-input.js";

type Row = readonly [what: string, argument: unknown, error: NamedError];

const WRITES: readonly Row[] = [
  ["undefined", undefined, invalid("writes")],
  ["null", null, invalid("writes")],
  ["an object", {}, invalid("writes")],
  ["text", "ab", invalid("writes")],
  ["a Set", new Set([["a", 1]]), invalid("writes")],
  ["a Map", new Map([["a", 1]]), invalid("writes")],
  ["a Proxy that throws", throwingProxy(), invalid("writes")],
  ["a write that is null", [null], invalid("writes.0")],
  ["a write that is text", ["ab"], invalid("writes.0")],
  ["a write that is an object", [{ channel: "a", value: 1 }], invalid("writes.0")],
  ["a write without a value", [["a"]], invalid("writes.0")],
  ["a write of three parts", [["a", 1, 2]], invalid("writes.0")],
  ["an empty write after a good one", [["a", 1], []], invalid("writes.1")],
  ["a channel that is a number", [[1, 1]], invalid("writes.0.0")],
  ["a channel that is null", [[null, 1]], invalid("writes.0.0")],
  ["a channel with U+0000", [["\0", 1]], invalid("writes.0.0")],
  ["a channel with a lone surrogate", [["\ud800", 1]], invalid("writes.0.0")],
  ["a channel over 2,000 bytes", [[LONG_KEY, 1]], invalid("writes.0.0")],
];

const TASKS: readonly (readonly [what: string, taskId: unknown, taskPath: unknown, error: NamedError])[] = [
  ["no task", undefined, undefined, invalid("taskId")],
  ["null as task", null, undefined, invalid("taskId")],
  ["an empty task", "", undefined, invalid("taskId")],
  ["a number as task", 1, undefined, invalid("taskId")],
  ["a task with U+0000", "\0", undefined, invalid("taskId")],
  ["a task with a lone surrogate", "\udfff", undefined, invalid("taskId")],
  ["a task over 2,000 bytes", LONG_KEY, undefined, invalid("taskId")],
  ["a number as path", "task", 1, invalid("taskPath")],
  ["a list as path", "task", ["a"], invalid("taskPath")],
  ["a path with U+0000", "task", "\0", invalid("taskPath")],
  ["a path over 2,000 bytes", "task", LONG_KEY, invalid("taskPath")],
];

const DELETED: readonly (readonly [what: string, threadId: unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["an object", {}],
  ["a list", ["t"]],
  ["a boolean", true],
  ["NaN", NaN],
  ["U+0000", "\0"],
  ["a lone surrogate", "\ud800"],
  ["more than 2,000 bytes", LONG_KEY],
];

const nothing: unknown = undefined;

const ENDED: NamedError = { type: CheckpointError, fields: { code: "BATCH_ENDED" } };

/** Misuses of a batch. Each has a valid call before the invalid one, which must not be stored either. */
const BATCHES: readonly BadInput[] = [
  {
    what: "a batch of nothing",
    call: ({ saver }) => saver.batch(nothing as () => void),
    error: invalid("run"),
  },
  ...DELETED.slice(0, 3).map(([what, threadId]): BadInput => ({
    what: `a batch with deleteThread of ${what}`,
    call: ({ saver, config }) =>
      saver.batch(async (batch) => {
        await batch.putWrites(config, [["a", 1]], "task");
        await batch.deleteThread(threadId as string);
      }),
    error: invalid("threadId"),
  })),
  {
    what: "a batch with bad writes that nobody waits for",
    call: ({ saver, config }) =>
      saver.batch((batch) => {
        void batch.putWrites(config, [["a", 1]], "task");
        void batch.putWrites(config, [["b", () => 1]], "task");
      }),
    error: unstorable("", { channel: "b" }),
  },
  {
    what: "a batch with a checkpoint without id",
    call: ({ saver, config, checkpoint }) =>
      saver.batch(async (batch) => {
        await batch.deleteThread("standing");
        await batch.put(config, { ...checkpoint, id: "" }, { source: "loop", step: 0, parents: {} }, {});
      }),
    error: invalid("checkpoint.id"),
  },
  {
    what: "a call on a batch that has ended",
    call: async ({ saver }) => (await saver.batch((batch) => ({ batch }))).batch.deleteThread("standing"),
    error: ENDED,
  },
];

/** Invalid arguments of `putWrites`, `deleteThread` and `batch`, except configs and values. */
export const BAD_WRITES: readonly BadInput[] = [
  ...WRITES.map(([what, writes, error]): BadInput => ({
    what: `putWrites with writes: ${what}`,
    call: ({ saver, config }) => saver.putWrites(config, writes as PendingWrite[], "task"),
    error,
  })),
  ...TASKS.map(([what, taskId, taskPath, error]): BadInput => ({
    what: `putWrites with ${what}`,
    call: ({ saver, config }) =>
      saver.putWrites(config, [["a", 1]], taskId as string, taskPath as string | undefined),
    error,
  })),
  ...DELETED.map(([what, threadId]): BadInput => ({
    what: `deleteThread of ${what}`,
    call: ({ saver }) => saver.deleteThread(threadId as string),
    error: invalid("threadId"),
  })),
  ...BATCHES,
];
