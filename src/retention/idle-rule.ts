import { timeInId } from "../saver/model/checkpoint-time.js";
import type { ThreadTimeRow } from "./queries/select-thread-times.js";

/** Which threads are idle. */
export interface IdleRule {
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  /** The least age of the newest checkpoint of a thread that has no time to live of its own, in milliseconds. */
  readonly idleForMs: number;
}

/** Whether a thread is idle. One whose newest checkpoint has no time never is. */
export function isIdle({ checkpoint_id, ts, ttl }: ThreadTimeRow, { nowMs, idleForMs }: IdleRule): boolean {
  const time = timeInId(checkpoint_id) ?? new Date(ts ?? NaN);
  return time.getTime() < nowMs - (ownTtl(ttl) ?? idleForMs);
}

/** Ignores what is no time to live: other programs may store anything in the metadata. */
function ownTtl(ttl: string | null): number | undefined {
  const ms = ttl === null || ttl.trim() === "" ? NaN : Number(ttl);
  return ms >= 0 ? ms : undefined;
}
