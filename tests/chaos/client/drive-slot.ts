import { setTimeout as sleep } from "node:timers/promises";
import { batch, deleteThread, put, putWrites } from "./operations/write-operations.js";
import { getNewest, getOlder, list } from "./operations/read-operations.js";
import type { Operation } from "./operation.js";
import type { ChaosSaver } from "./open-saver.js";
import type { Head, Slot } from "./slot.js";

/** What a slot needs of its process. */
export interface Drive {
  readonly saver: ChaosSaver;
  readonly slot: Slot;
  /** Makes the call between the journal's two lines, and tells whether it was acknowledged. */
  readonly perform: (operation: Operation) => Promise<boolean>;
  readonly forks: boolean;
  readonly stop: AbortSignal;
}

/** Makes one call after the other on the threads of a slot, until it is told to stop. */
export async function driveSlot(drive: Drive): Promise<void> {
  const { saver, slot, perform, stop } = drive;
  // What an earlier process has left is looked up first: nobody begins a thread anew that can't be read at the moment.
  let isKnown = false;
  while (!isKnown && !stop.aborted) isKnown = await perform(getNewest(saver, slot));
  while (!stop.aborted) {
    await step(drive);
    // What an agent does between two super-steps.
    await sleep(slot.random.between(5, 60));
  }
}

async function step(drive: Drive): Promise<void> {
  const { saver, slot, perform } = drive;
  const { head } = slot;
  const draw = slot.random.next();
  if (head === undefined || draw < 0.4) await perform(put(saver, slot));
  else if (draw < 0.6) await perform(putWrites(saver, slot, head));
  else if (draw < 0.7) await perform(saver.batch === undefined ? put(saver, slot) : batch(saver, slot));
  else if (draw < 0.85) await perform(getNewest(saver, slot));
  else if (draw < 0.92) await perform(list(saver, slot));
  else if (draw < 0.985) await (drive.forks ? fork(drive) : perform(put(saver, slot)));
  else if (draw < 0.99) await perform(deleteThread(saver, slot));
  // A conversation that is over, and stays to be looked at in the end.
  else slot.moveOn();
}

/** Goes on from an older checkpoint, which is read first. */
async function fork({ saver, slot, perform }: Drive): Promise<void> {
  const older = slot.known.present();
  if (older.length === 0) return;
  let found: Head | undefined;
  await perform(
    getOlder(saver, slot, slot.random.pick(older).id, (head) => {
      found = head;
    }),
  );
  if (found !== undefined) await perform(put(saver, slot, found));
}
