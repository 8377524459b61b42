import {
  type CheckpointMetadata,
  ERROR,
  INTERRUPT,
  RESUME,
  SCHEDULED,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { id, parent, place, scalar, structure, weighted } from "./histories.js";
import { OLD_ID } from "./ids.js";
import { type Change, DeleteThread, PutAgain, PutSuccessor, PutWrites, type Write } from "./write-calls.js";

const metadata: fc.Arbitrary<CheckpointMetadata> = fc
  .record({
    source: fc.constantFrom("input" as const, "loop" as const, "fork" as const),
    step: fc.integer({ min: -1, max: 2 }),
    parents: weighted<Record<string, string>>(
      [{}, 3],
      [{ "": "10" }, 2],
      [{ "": OLD_ID, "node:1f0c": "9" }, 2],
    ),
    more: fc.constantFrom<object>(
      {},
      { run_id: "r1" },
      { run_id: null },
      { info: { a: 1, tags: ["u", "v"] } },
      { info: { a: 2 } },
    ),
  })
  .map(({ more, ...fixed }) => ({ ...fixed, ...more }));

function change(value: fc.Arbitrary<unknown>): fc.Arbitrary<Change | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: value.map((to) => ({ to })) },
    { weight: 1, arbitrary: value.map((undeclared) => ({ undeclared })) },
    { weight: 1, arbitrary: fc.constantFrom("emptied" as const, "dropped" as const) },
  );
}

const successor = fc
  .record({
    ...place,
    id,
    parent,
    changes: fc.record({
      log: change(structure),
      n: change(scalar),
      x: change(fc.oneof(scalar, structure)),
    }),
    loose: fc.nat(5).map((dice) => dice === 5),
    metadata,
  })
  .map((put) => new PutSuccessor(put));

const again = fc.record({ ...place, id, parent, log: structure, metadata }).map((put) => new PutAgain(put));

// Not the channels that have values here: a channel with a write and without a value counts as a delta channel.
const WRITTEN_TO = ["input", "output", "branch:to:n", TASKS, ERROR, INTERRUPT, RESUME, SCHEDULED];

const pendingWrites = fc
  .record({
    ...place,
    id,
    task: weighted(["task-1", 4], ["task-2", 1], ["00000000-0000-0000-0000-000000000000", 1]),
    path: fc.constantFrom(undefined, "", "~a", "~b"),
    pairs: fc.array(fc.tuple(fc.constantFrom(...WRITTEN_TO), fc.oneof(scalar, structure)), { maxLength: 4 }),
  })
  .map((writes) => new PutWrites(writes));

const deletion = place.thread.map((thread) => new DeleteThread(thread));

/** Any write call. */
export const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 12, arbitrary: successor },
  { weight: 3, arbitrary: again },
  { weight: 8, arbitrary: pendingWrites },
  { weight: 1, arbitrary: deletion },
);
