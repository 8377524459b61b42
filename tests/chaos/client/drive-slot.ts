import { setTimeout as sleep } from "node:timers/promises";
import { batch, deleteThread, put, putWrites, rewrite } from "./operations/write-operations.js";
import { getNewest, getOlder, list } from "./operations/read-operations.js";
import type { Operation } from "./operation.js";
import type { ChaosSaver } from "./open-saver.js";
import type { Head, Slot } from "./slot.js";

/** How long a run takes until it is cancelled, in milliseconds. Most of them have stored their checkpoint by then, some have not. */
const LONGEST_RUN_MS = 20;

/** What a slot needs from its process. */
export interface Drive {
  saver: ChaosSaver;
  /** Opens a saver that remembers nothing. */
  readonly open: () => ChaosSaver;
  readonly slot: Slot;
  /** Makes a call, with journal entries before and after it, and returns whether it was acknowledged. */
  readonly perform: (operation: Operation) => Promise<boolean>;
  readonly forks: boolean;
  readonly stop: AbortSignal;
}

/** Makes one call after another on the threads of a slot, until it must stop. */
export async function driveSlot(drive: Drive): Promise<void> {
  const { saver, slot, perform, stop } = drive;
  // Reads what an earlier process has stored first, so that it doesn't restart a thread that can't be read at the moment.
  let isKnown = false;
  while (!isKnown && !stop.aborted) isKnown = await perform(getNewest(saver, slot));
  while (!stop.aborted) {
    await step(drive);
    // The work of an agent between two super-steps.
    await sleep(slot.random.between(5, 60));
  }
}

async function step(drive: Drive): Promise<void> {
  const { saver, slot, perform } = drive;
  const { head } = slot;
  const draw = slot.random.next();
  if (head === undefined || draw < 0.35) await perform(put(saver, slot));
  else if (draw < 0.4) await cancelledStep(drive, head);
  else if (draw < 0.6) await perform(putWrites(saver, slot, head));
  else if (draw < 0.7) await perform(saver.batch === undefined ? put(saver, slot) : batch(saver, slot));
  else if (draw < 0.85) await perform(getNewest(saver, slot));
  else if (draw < 0.9) await perform(list(saver, slot));
  else if (draw < 0.93) await perform(rewrite(saver, slot));
  // Another process goes on with the thread, without a read. Its first value is whole, and begins a chain.
  else if (draw < 0.945) drive.saver = drive.open();
  else if (draw < 0.985) await (drive.forks ? fork(drive) : perform(put(saver, slot)));
  else if (draw < 0.99) await perform(deleteThread(saver, slot));
  // A finished conversation, which the checker reads at the end.
  else slot.moveOn();
}

/** Continues from an older checkpoint, which it reads first. */
async function fork({ saver, slot, perform }: Drive): Promise<void> {
  const older = slot.known.present();
  if (older.length === 0) return;
  let found: Head | undefined;
  await perform(
    getOlder(saver, slot, slot.random.pick(older).id, (head) => {
      found = head;
    }),
  );
  if (found !== undefined) await perform(put(saver, slot, { parent: found }));
}

/** Stores like a run that its caller cancels: without waiting for the writes, and until the signal of the run aborts. */
async function cancelledStep({ saver, slot, perform }: Drive, head: Head): Promise<void> {
  const run = new AbortController();
  setTimeout(
    () => {
      run.abort();
    },
    slot.random.between(0, LONGEST_RUN_MS),
  );
  await Promise.all([
    perform(putWrites(saver, slot, head)),
    perform(put(saver, slot, { signal: run.signal })),
  ]);
}
