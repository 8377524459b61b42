/** The epoch of UUIDs, 15 October 1582, in milliseconds since 1970. */
const GREGORIAN_EPOCH_MS = Date.UTC(1582, 9, 15);

/** A UUID counts time in steps of 100 ns. */
const TICKS_PER_MS = 10_000n;

/** The last time that a UUID can hold, in the year 5236. */
const LAST_TICK = 2n ** 60n - 1n;

/** Matches a UUID of version 6 in lower case, the ids that LangGraph generates. Postgres reads the pattern in the same way. */
export const UUID6 = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the time in a checkpoint's id, or `undefined` where the id is not a UUID of version 6. */
export function timeInId(checkpointId: string): Date | undefined {
  const ticks = ticksOf(checkpointId);
  return ticks === undefined ? undefined : new Date(Number(ticks / TICKS_PER_MS) + GREGORIAN_EPOCH_MS);
}

/** Returns the lower bound of the ids of all checkpoints that are created at a time or later. */
export function idsFrom(time: Date): string {
  const ticks = BigInt(time.getTime() - GREGORIAN_EPOCH_MS) * TICKS_PER_MS;
  return withTicks(ticks < 0n ? 0n : ticks > LAST_TICK ? LAST_TICK : ticks, "");
}

/**
 * Returns an id that is larger than another one: `fresh`, or the next id of the other one's clock if that clock is ahead.
 *
 * @returns `undefined` where the other id is not a UUID of version 6 and larger than all current ids.
 */
export function idAfter(checkpointId: string, fresh: string): string | undefined {
  if (fresh > checkpointId) return fresh;
  const ticks = ticksOf(checkpointId);
  return ticks === undefined ? undefined : withTicks(ticks + 1n, fresh.slice("00000000-0000-0000".length));
}

function ticksOf(checkpointId: string): bigint | undefined {
  const [, high, middle, low] = UUID6.exec(checkpointId) ?? [];
  return low === undefined ? undefined : BigInt(`0x${high ?? ""}${middle ?? ""}${low}`);
}

function withTicks(ticks: bigint, rest: string): string {
  const digits = ticks.toString(16).padStart(15, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-6${digits.slice(12)}${rest}`;
}

/** Whether a saver of Python wrote the time of a header: with the time zone as an offset. JavaScript writes it as `Z`. */
export function isPythonTime(ts: string | null): boolean {
  return /[+-]\d\d:\d\d$/.test(ts ?? "");
}
