/** The threads that store something at the same time, as in a service. */
const AT_ONCE = 8;

/**
 * Calls `step` for each thread in as many rounds, each in another order, a few threads at a time. So the rows of a thread lie apart, and
 * its keys are inserted between those of others, as in a service.
 *
 * @param step - Gets a thread and the number of the call.
 * @param atOnce - The number of threads at a time.
 */
export async function inRandomOrder<Thread>(
  threads: readonly Thread[],
  rounds: number,
  step: (thread: Thread, call: number) => Promise<void>,
  atOnce = AT_ONCE,
): Promise<void> {
  let call = 0;
  for (let round = 0; round < rounds; round++) {
    const waiting = shuffled(threads);
    const work = async (): Promise<void> => {
      for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop())
        await step(thread, call++);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }
}

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((one) => ({ one, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ one }) => one);
}
