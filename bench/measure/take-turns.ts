/** Something whose duration is of interest. */
export type Operation = () => Promise<unknown>;

/**
 * Runs operations in turns, so that whatever slows the machine down for a while slows all of them down. Who is first,
 * and who follows whom, changes from round to round: each inherits the garbage and the warm caches of each other
 * equally often.
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

/** How many milliseconds an operation takes. */
export async function timed(operation: Operation): Promise<number> {
  const start = performance.now();
  await operation();
  return performance.now() - start;
}
