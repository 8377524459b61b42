import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs, timesRun } from "../../../test-support/runs.js";
import { ConcurrentModificationError } from "../../errors/index.js";
import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import type { HeadRow } from "../queries/select-heads.js";
import { refuseStale, successors } from "./refuse-writes.js";
import type { BatchOperation } from "./resolve-batch.js";

interface Line {
  readonly threadId?: string;
  readonly checkpointNs?: string;
  readonly checkpointId: string;
  readonly parentCheckpointId?: string | null;
  readonly branches?: boolean;
}

function put(line: Line): Extract<BatchOperation, { kind: "put" }> {
  const checkpoint: EncodedCheckpoint = {
    threadId: "t",
    checkpointNs: "",
    parentCheckpointId: null,
    branches: false,
    requiresParent: false,
    checkpoint: "{}",
    metadata: "{}",
    carriedInline: {},
    versions: {},
    referencedVersions: {},
    blobs: [],
    ...line,
  };
  return { kind: "put", checkpoint };
}

/** What the database says of the successors among `operations` when it has `stored`. */
function headsIn(stored: readonly EncodedCheckpoint[], operations: readonly BatchOperation[]): HeadRow[] {
  return successors(operations).map(({ threadId, checkpointNs, checkpointId }) => {
    const near = stored.filter((each) => each.threadId === threadId && each.checkpointNs === checkpointNs);
    const head = near.sort((a, b) => (a.checkpointId < b.checkpointId ? 1 : -1))[0];
    return {
      thread_id: threadId,
      checkpoint_ns: checkpointNs,
      checkpoint_id: checkpointId,
      head_checkpoint_id: head?.checkpointId ?? null,
      head_parent_checkpoint_id: head?.parentCheckpointId ?? null,
      is_stored: near.some((each) => each.checkpointId === checkpointId),
    };
  });
}

function isRefused(stored: readonly Line[], ...operations: BatchOperation[]): boolean {
  try {
    refuseStale(
      operations,
      headsIn(
        stored.map((line) => put(line).checkpoint),
        operations,
      ),
    );
    return false;
  } catch (error) {
    if (error instanceof ConcurrentModificationError) return true;
    throw error;
  }
}

const CHAIN: readonly Line[] = [{ checkpointId: "1" }, { checkpointId: "2", parentCheckpointId: "1" }];

describe("a put under optimistic concurrency", () => {
  it.each<[what: string, refused: boolean, stored: readonly Line[], next: Line]>([
    ["the first of a thread", false, [], { checkpointId: "1" }],
    [
      "the first of a thread, after a checkpoint elsewhere",
      false,
      [],
      { checkpointId: "2", parentCheckpointId: "1" },
    ],
    ["another first one", true, CHAIN, { checkpointId: "3" }],
    ["a successor of the newest", false, CHAIN, { checkpointId: "3", parentCheckpointId: "2" }],
    ["a successor of an older one", true, CHAIN, { checkpointId: "3", parentCheckpointId: "1" }],
    ["a successor of an unknown one", true, CHAIN, { checkpointId: "3", parentCheckpointId: "0" }],
    [
      "a successor of the newest by an older id",
      true,
      CHAIN,
      { checkpointId: "15", parentCheckpointId: "2" },
    ],
    [
      "a branch off an older one",
      false,
      CHAIN,
      { checkpointId: "3", parentCheckpointId: "1", branches: true },
    ],
    ["what is stored already", false, CHAIN, { checkpointId: "1" }],
    ["what is stored already, after another", false, CHAIN, { checkpointId: "2", parentCheckpointId: "0" }],
    ["the first of another namespace", false, CHAIN, { checkpointId: "3", checkpointNs: "child" }],
    ["the first of another thread", false, CHAIN, { checkpointId: "3", threadId: "t2" }],
    ["the one that the newest follows", false, CHAIN.slice(1), { checkpointId: "1" }],
    [
      "a newer one that the newest follows",
      true,
      [{ checkpointId: "1", parentCheckpointId: "2" }],
      { checkpointId: "2" },
    ],
    [
      "one that the newest follows and that follows another",
      true,
      CHAIN.slice(1),
      { checkpointId: "1", parentCheckpointId: "0" },
    ],
  ])("%s: refused is %s", (_what, refused, stored, next) => {
    expect(isRefused(stored, put(next))).toBe(refused);
  });

  it("is refused with the thread, its own id, its parent and the newest in the error", () => {
    const stale = put({ checkpointId: "3", parentCheckpointId: "1", checkpointNs: "" });
    const stored = CHAIN.map((line) => put(line).checkpoint);
    expect(() => {
      refuseStale([stale], headsIn(stored, [stale]));
    }).toThrow(
      expect.objectContaining({
        code: "CONCURRENT_MODIFICATION",
        threadId: "t",
        checkpointNs: "",
        checkpointId: "3",
        parentCheckpointId: "1",
        headCheckpointId: "2",
        message: 'thread "t": the put follows checkpoint "1", but the newest checkpoint is now "2"',
      }),
    );
  });

  it("says that its id is too old where its parent is the newest", () => {
    const late = put({ checkpointId: "15", parentCheckpointId: "2" });
    expect(() => {
      refuseStale(
        [late],
        headsIn(
          CHAIN.map((line) => put(line).checkpoint),
          [late],
        ),
      );
    }).toThrow('the put follows checkpoint "2", but its id "15" is older');
  });

  it("compares ids in byte order, as the database sorts them", () => {
    const [low, high] = ["\uffee", "\u{1f600}"];
    expect(low < high).toBe(false);
    expect(isRefused([{ checkpointId: low }], put({ checkpointId: high, parentCheckpointId: low }))).toBe(
      false,
    );
    expect(isRefused([{ checkpointId: high }], put({ checkpointId: low, parentCheckpointId: high }))).toBe(
      true,
    );
  });
});

const line: fc.Arbitrary<Line> = fc.record({
  threadId: fc.constantFrom("t", "t2"),
  checkpointNs: fc.constantFrom("", "child"),
  checkpointId: fc.constantFrom("1", "2", "3", "4", "5", "6"),
  parentCheckpointId: fc.constantFrom(null, "1", "2", "3", "4", "5"),
  branches: fc.boolean(),
});
const operation: fc.Arbitrary<BatchOperation> = fc.oneof(
  { weight: 12, arbitrary: line.map(put) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("t", "t2").map((threadId) => ({ kind: "deleteThread", threadId }) as const),
  },
);

/** What the database has after operations that were done one by one; `undefined` where one of them is refused. */
function oneByOne(
  stored: readonly EncodedCheckpoint[],
  operations: readonly BatchOperation[],
): readonly EncodedCheckpoint[] | undefined {
  let all = stored;
  for (const each of operations) {
    if (each.kind === "deleteThread") all = all.filter(({ threadId }) => threadId !== each.threadId);
    if (each.kind !== "put") continue;
    if (isRefused(all, each)) return undefined;
    const isKnown = all.some((known) => isSame(known, each.checkpoint));
    if (!isKnown) all = [...all, each.checkpoint];
  }
  return all;
}

function isSame(a: EncodedCheckpoint, b: EncodedCheckpoint): boolean {
  return a.threadId === b.threadId && a.checkpointNs === b.checkpointNs && a.checkpointId === b.checkpointId;
}

describe("a batch under optimistic concurrency", () => {
  it("is refused where one of its calls would be, made one by one", () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 12 }),
        fc.array(operation, { minLength: 1, maxLength: 5 }),
        (before, batch) => {
          const stored = before.reduce<readonly EncodedCheckpoint[]>(
            (all, each) => oneByOne(all, [each]) ?? all,
            [],
          );
          const expected = oneByOne(stored, batch) === undefined;
          if (expected) refused++;
          expect(isRefused(stored, ...batch)).toBe(expected);
        },
      ),
      runs(2_000),
    );
    expect(refused).toBeGreaterThan(timesRun(200));
    expect(refused).toBeLessThan(timesRun(1_900));
  });

  it("leaves one line of checkpoints wherever nothing branches off", () => {
    const plain = fc.array(
      line.map((each) => put({ ...each, threadId: "t", checkpointNs: "", branches: false })),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(plain, (tried) => {
        const stored = tried.reduce<readonly EncodedCheckpoint[]>(
          (all, each) => oneByOne(all, [each]) ?? all,
          [],
        );
        const ids = stored.map(({ checkpointId }) => checkpointId).sort();
        const byId = new Map(stored.map((each) => [each.checkpointId, each]));
        for (const [index, id] of ids.slice(1).entries()) {
          expect(byId.get(id)?.parentCheckpointId).toBe(ids[index]);
        }
      }),
      runs(1_000),
    );
  });
});
