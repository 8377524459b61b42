import type { Size } from "../scenarios/scenario.js";
import { conversation, record, variedText } from "../scenarios/sample-data.js";

/** A thread with one channel that changes at each step. */
export interface History {
  readonly name: string;
  /** The number of checkpoints. */
  readonly steps: number;
  /** The value of the channel after each step, and the write that a delta channel would store instead. */
  readonly at: (step: number) => { readonly value: unknown; readonly write: unknown };
}

/** The measured histories. */
export function historiesOf({ quick }: Size): History[] {
  return quick ? [chat(6), files(4, 5), small(4)] : [chat(1_000), files(500, 200), small(2_000)];
}

/** A conversation that grows by a message of 1 kB of text at each step. */
function chat(steps: number): History {
  const messages = conversation(steps, variedText);
  return {
    name: `growth: a chat of ${steps} messages of 1 kB, one more at each step`,
    steps,
    at: (step) => ({ value: messages.slice(0, step + 1), write: messages.slice(step, step + 1) }),
  };
}

/** A map of files, of which one changes at each step. */
function files(steps: number, count: number): History {
  const map = new Map(
    Array.from({ length: count }, (_, index) => [nameOf(index), record(2_000, index, variedText)]),
  );
  return {
    name: `growth: a map of ${count} files of 2 kB, one of which changes at each of ${steps} steps`,
    steps,
    at: (step) => {
      // A prime, so that the changed files lie far apart.
      const name = nameOf((step * 7_919) % count);
      map.set(name, record(2_000, count + step, variedText));
      return { value: Object.fromEntries(map), write: { [name]: map.get(name) } };
    },
  };
}

/** A state of constant size that changes completely, from which splices gain nothing. */
function small(steps: number): History {
  return {
    name: `growth: a record of 2 kB that is replaced at each of ${steps} steps`,
    steps,
    at: (step) => {
      const value = record(2_000, step * 31, variedText);
      return { value, write: value };
    },
  };
}

function nameOf(index: number): string {
  return `src/module-${index}/file.ts`;
}
