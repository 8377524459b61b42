/** A timed operation. */
export type Operation = () => Promise<unknown>;

/**
 * Runs operations in turns, so that a slow phase of the machine affects all of them. The order changes from round to
 * round, so each one inherits the garbage and the warm caches of every other equally often.
 */
export async function takeTurns(operations: readonly Operation[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const operation of inOrderOf(round, operations)) await operation();
  }
}

/** Every rotation in one direction, then every rotation in the other. */
function inOrderOf<T>(round: number, all: readonly T[]): T[] {
  const start = round % all.length;
  const rotated = [...all.slice(start), ...all.slice(0, start)];
  return Math.floor(round / all.length) % 2 === 0 ? rotated : rotated.reverse();
}

/** Returns the duration of an operation in milliseconds. */
export async function timed(operation: Operation): Promise<number> {
  const start = performance.now();
  await operation();
  return performance.now() - start;
}
