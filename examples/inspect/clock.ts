/** The time while a history is seeded. */
export interface Clock {
  /** The current time, in milliseconds since 1970. */
  now: number;
}

/**
 * Runs code whose time is what a clock says, so that a history has an age and looks the same each time it is made. LangGraph takes the
 * times and ids of checkpoints from `Date`, so it is replaced for the whole process meanwhile.
 */
export async function withClock<Result>(clock: Clock, work: () => Promise<Result>): Promise<Result> {
  const real = Date;
  globalThis.Date = new Proxy(real, {
    construct: (target, args: unknown[]) =>
      Reflect.construct(target, args.length === 0 ? [clock.now] : args) as Date,
    get: (target, name): unknown => (name === "now" ? () => clock.now : Reflect.get(target, name)),
  });
  try {
    return await work();
  } finally {
    globalThis.Date = real;
  }
}
