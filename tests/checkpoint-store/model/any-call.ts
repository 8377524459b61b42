import fc from "fast-check";
import type { CheckpointScope, ExecutionCheckpoint } from "../../../src/checkpoint-store/index.js";

/** Few ids, so that calls meet, in an order by bytes that is no other. */
export const IDS = ["a", "b", "B", "e\u0301", "é", "😀", "\ue000"];
/** Few executions and threads, some of them with the same id. */
export const LISTED_IDS = ["e", "E", "e:checkpoints", "é"];

const id = fc.constantFrom(...IDS);
const listedId = fc.constantFrom(undefined, ...LISTED_IDS);
const time = fc.constantFrom(-1, 0, 1, 1_000, 1_763_820_306_123);
const version = fc.constantFrom(0, 1, 2, 10);
const state = fc.constantFrom<unknown>(0, 1, { a: [1n] }, undefined, new Map([["k", new Date(1)]]));

const checkpoint = fc.record({
  id,
  nodeName: fc.constantFrom("n", ""),
  state,
  listedId,
  threadId: listedId,
  time,
  version,
});
const scope = fc.record({
  by: fc.constantFrom("text", "executionId", "threadId"),
  id: listedId.map((given = "e") => given),
});

const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("save" as const),
      checkpoint,
      keepLast: fc.constantFrom(undefined, undefined, 1, 2, 3),
      optimistic: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("saveMany" as const),
      checkpoints: fc.uniqueArray(checkpoint, { selector: (each) => each.id, maxLength: 4 }),
      keepLast: fc.constantFrom(undefined, 1, 2),
      optimistic: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("load" as const), id }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("list" as const),
      scope,
      limit: fc.constantFrom(undefined, 1, 2, 100),
      order: fc.constantFrom("asc" as const, "desc" as const),
    }),
  },
  fc.record({ kind: fc.constant("latest" as const), scope }),
  fc.record({ kind: fc.constant("delete" as const), id }),
  fc.record({ kind: fc.constant("clear" as const), scope }),
);

/** A call of a checkpoint store, whose ids are not yet those of a history. */
export type AnyCall = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** Calls in the order in which they are made. */
export const histories = fc.array(call, { minLength: 1, maxLength: 20 });

/** Calls that are made at once. */
export const crowds = fc.array(call, { minLength: 2, maxLength: 12 });

/** Returns the checkpoint of a save, with ids that begin alike, so that histories may share a database. */
export function checkpointOf(
  drawn: (AnyCall & { kind: "save" })["checkpoint"],
  prefix: string,
): ExecutionCheckpoint {
  const { listedId: execution, threadId: thread, time: at, ...fields } = drawn;
  const metadata = {
    ...(execution !== undefined && { execution_id: prefix + execution }),
    ...(thread !== undefined && { thread_id: prefix + thread }),
  };
  return { ...fields, id: prefix + fields.id, metadata, timestamp: new Date(at) };
}

/** Returns the scope of a call, with ids that begin alike. */
export function scopeOf(drawn: (AnyCall & { kind: "clear" })["scope"], prefix: string): CheckpointScope {
  const scopeId = prefix + drawn.id;
  if (drawn.by === "text") return scopeId;
  return drawn.by === "threadId" ? { threadId: scopeId } : { executionId: scopeId };
}
