import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { Operation } from "../operation.js";
import { NOTHING } from "../operation.js";
import { configOf } from "../new-checkpoint.js";
import type { ChaosSaver } from "../open-saver.js";
import type { Head, Slot } from "../slot.js";
import { verifyNewest, verifyTuple } from "../verify-tuple.js";

/** Reads the newest checkpoint, and continues from it. */
export function getNewest(saver: ChaosSaver, slot: Slot): Operation {
  let found: CheckpointTuple | undefined;
  return {
    kind: "getTuple",
    changes: NOTHING,
    run: async () => {
      found = await saver.getTuple(slot.config);
      const seen = found === undefined ? [] : [found.checkpoint.id];
      return { seen, violations: verifyNewest(slot.known, found) };
    },
    done: () => {
      slot.head = found && headFrom(slot, found);
    },
  };
}

/** Reads an older checkpoint by its id, and passes it on as the parent of a fork. */
export function getOlder(
  saver: ChaosSaver,
  slot: Slot,
  id: string,
  onFound: (head: Head) => void,
): Operation {
  let found: CheckpointTuple | undefined;
  return {
    kind: "getTuple",
    changes: NOTHING,
    run: async () => {
      found = await saver.getTuple(configOf(slot, id));
      return { violations: found ? verifyTuple(slot.known, found) : [`read nothing, not ${id}`] };
    },
    done: () => {
      const head = found && headFrom(slot, found);
      if (head) onFound(head);
    },
  };
}

/** Lists the newest checkpoints of the thread. */
export function list(saver: ChaosSaver, slot: Slot): Operation {
  return {
    kind: "list",
    changes: NOTHING,
    run: async () => {
      const tuples: CheckpointTuple[] = [];
      for await (const tuple of saver.list(slot.config, { limit: LIST_LENGTH })) tuples.push(tuple);
      const [newest, ...others] = tuples;
      const violations = others.flatMap((tuple) => verifyTuple(slot.known, tuple));
      return {
        seen: tuples.map(({ checkpoint }) => checkpoint.id),
        violations: [...verifyNewest(slot.known, newest), ...violations],
      };
    },
  };
}

const LIST_LENGTH = 5;

function headFrom(slot: Slot, { checkpoint }: CheckpointTuple): Head | undefined {
  const tracked = slot.known.checkpoints.get(checkpoint.id);
  return tracked && { config: configOf(slot, checkpoint.id), checkpoint, digests: tracked.item.channels };
}
