import { z } from "zod";
import { holdTurn } from "../db/grouping/take-turn.js";
import { storedThreadId } from "../parsing/keys.js";
import type { SaverCall } from "./call/saver-call.js";

const threadIds = z.array(storedThreadId);

/**
 * Runs a call when all calls that were made before it on the same threads have ended. Later calls on them wait for it.
 *
 * @param given - The threads, as the caller gives them. What is no thread has no order: the call will refuse it.
 */
export function inTurnOf<T>(call: SaverCall, given: unknown, run: () => Promise<T>): Promise<T> {
  const keys = parseOrNone(given);
  return keys === undefined ? run() : holdTurn(call, call.groups, { keys }, run);
}

/**
 * Runs a call that later ones don't wait for, when all calls that were made before it have ended.
 *
 * @param given - The threads that it is about, where the caller names them. Default: all.
 */
export function afterEarlierCalls<T>(call: SaverCall, run: () => Promise<T>, given?: unknown): Promise<T> {
  const keys = given === undefined ? undefined : parseOrNone(given);
  if (given !== undefined && keys === undefined) return run();
  const threads = keys && new Set(keys);
  const covers = (thread: string): boolean => threads?.has(thread) ?? true;
  return holdTurn(call, call.groups, { covers, passes: true }, run);
}

function parseOrNone(given: unknown): string[] | undefined {
  try {
    return threadIds.safeParse(given).data;
  } catch {
    // A Proxy or a getter may throw anything.
    return undefined;
  }
}
