/** Something whose duration is of interest. */
export type Operation = () => Promise<unknown>;

/**
 * Times two operations in turns, so that whatever slows the machine down for a while slows both down. Who is first
 * changes from round to round: each inherits the other's garbage and warm caches equally often.
 *
 * @returns The durations of each operation in milliseconds, one per round.
 */
export async function interleave(
  a: Operation,
  b: Operation,
  rounds: number,
): Promise<{ a: number[]; b: number[] }> {
  const times = { a: [] as number[], b: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) times.a.push(await timed(a));
    times.b.push(await timed(b));
    if (round % 2 === 1) times.a.push(await timed(a));
  }
  return times;
}

async function timed(operation: Operation): Promise<number> {
  const start = performance.now();
  await operation();
  return performance.now() - start;
}
