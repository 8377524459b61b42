import type { CallContext } from "../db/call-context.js";
import { countOrphanedBlobs } from "./queries/orphaned-blobs.js";
import { countWrites, type WrittenRow } from "./queries/orphaned-writes.js";
import { addCounts, NO_ROWS, type RowCounts } from "../saver/model/row-counts.js";
import { lookUpEach } from "./look-up-each.js";
import type { DoomedNamespace } from "./doomed-namespace.js";
import { planDrops } from "./plan-drops.js";
import { sendersKept } from "./senders-kept.js";

/** What is to be counted of a namespace. */
export interface CountedNamespace extends DoomedNamespace {
  /** The checkpoints that never came, while writes of theirs are there. */
  readonly lost: readonly string[];
}

/**
 * Counts what would go of each namespace: its doomed checkpoints, what is stored for nothing then, and writes whose checkpoint
 * never came.
 */
export async function countGoing(
  call: CallContext,
  namespaces: readonly CountedNamespace[],
): Promise<RowCounts[]> {
  const plans = await lookUpEach(
    namespaces.filter(({ ids }) => ids.length > 0),
    (some) => planDrops(call, some),
  );
  const goingOf = (each: CountedNamespace) => plans.get(each)?.going ?? [];
  const stillRead = await lookUpEach(
    namespaces.filter(({ lost }) => lost.length > 0),
    (some) =>
      sendersKept(
        call,
        some.map((each) => ({ key: each.key, ids: goingOf(each) })),
      ),
  );
  const blobs = await lookUpEach(namespaces, (some) =>
    countOrphanedBlobs(
      call,
      some.map((each) => ({ ...each.key, checkpointIds: goingOf(each) })),
    ),
  );
  const written = await countWritesOf(call, namespaces, (each) => [
    { ids: goingOf(each), kept: plans.get(each)?.sendersKept },
    { ids: each.lost, kept: stillRead.get(each) },
  ]);
  return namespaces.map((each) =>
    [
      { ...NO_ROWS, checkpoints: goingOf(each).length },
      { ...NO_ROWS, ...blobs.get(each) },
      { ...NO_ROWS, ...written.get(each) },
    ].reduce(addCounts),
  );
}

/** Checkpoints whose writes go, but for the sends of some. */
interface WrittenPart {
  readonly ids: readonly string[];
  readonly kept: ReadonlySet<string> | undefined;
}

function countWritesOf(
  call: CallContext,
  namespaces: readonly CountedNamespace[],
  partsOf: (each: CountedNamespace) => readonly WrittenPart[],
): Promise<Map<CountedNamespace, WrittenRow>> {
  const some = namespaces.filter((each) => partsOf(each).some(({ ids }) => ids.length > 0));
  return lookUpEach(some, (counted) =>
    countWrites(
      call,
      counted.map((each) => ({
        ...each.key,
        checkpointIds: partsOf(each).flatMap(({ ids }) => ids),
        sendersKept: partsOf(each).flatMap(({ ids, kept }) => ids.filter((id) => kept?.has(id))),
      })),
    ),
  );
}
