import type { Operation } from "../operation.js";
import { NOTHING } from "../operation.js";
import { headOf, newCheckpoint, newWrites } from "../new-checkpoint.js";
import type { ChaosSaver } from "../open-saver.js";
import type { Head, Slot } from "../slot.js";

/** What a checkpoint is stored with. */
export interface PutOptions {
  /** Default: the newest checkpoint of the thread. */
  readonly parent?: Head | undefined;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}

/** Stores the next checkpoint of the thread. */
export function put(
  saver: ChaosSaver,
  slot: Slot,
  { parent = slot.head, signal }: PutOptions = {},
): Operation {
  const made = newCheckpoint(saver, slot, parent);
  return {
    kind: parent === slot.head ? "put" : "fork",
    changes: { ...NOTHING, puts: [made.record] },
    run: async () => {
      await saver.put(made.parentConfig, made.checkpoint, made.metadata, made.newVersions, { signal });
      return {};
    },
    done: () => {
      slot.head = headOf(made, slot);
    },
  };
}

/** Stores writes of a task for the newest checkpoint. */
export function putWrites(saver: ChaosSaver, slot: Slot, { config, checkpoint }: Head): Operation {
  const { records, values } = newWrites(slot, checkpoint.id);
  const task = records[0]?.task ?? "";
  return {
    kind: "putWrites",
    changes: { ...NOTHING, writes: records },
    run: async () => {
      await saver.putWrites(config, values, task);
      return {};
    },
  };
}

/** Stores two checkpoints in sequence, and writes of both, in one batch. */
export function batch(saver: ChaosSaver, slot: Slot): Operation {
  const first = newCheckpoint(saver, slot, slot.head);
  const second = newCheckpoint(saver, slot, headOf(first, slot));
  const all = [first, second].map((made) => ({ made, writes: newWrites(slot, made.checkpoint.id) }));
  return {
    kind: "batch",
    changes: {
      ...NOTHING,
      puts: all.map(({ made }) => made.record),
      writes: all.flatMap(({ writes }) => writes.records),
    },
    run: async () => {
      await saver.batch?.(async (calls) => {
        for (const { made, writes } of all) {
          const config = await calls.put(made.parentConfig, made.checkpoint, made.metadata, made.newVersions);
          await calls.putWrites(config, writes.values, writes.records[0]?.task ?? "");
        }
      });
      return {};
    },
    done: () => {
      slot.head = headOf(second, slot);
    },
  };
}

/** Stores values of any thread in another form. No call may notice it. */
export function rewrite(saver: ChaosSaver, slot: Slot): Operation {
  const kind = slot.random.pick(["expand", "compact", "compact", "compact"] as const);
  const threads = [slot.anyThread()];
  return {
    kind,
    changes: NOTHING,
    run: async () => {
      await saver[kind]?.({ threads });
      return {};
    },
  };
}

/** Deletes the thread. It may be used again, but not while the deletion may still take effect. */
export function deleteThread(saver: ChaosSaver, slot: Slot): Operation {
  const isUsedAgain = slot.random.chance(0.5);
  return {
    kind: "deleteThread",
    changes: { ...NOTHING, deletes: true },
    run: async () => {
      await saver.deleteThread(slot.thread);
      return {};
    },
    done: () => {
      slot.head = undefined;
      if (!isUsedAgain) slot.moveOn();
    },
    failed: () => {
      slot.moveOn();
    },
  };
}
