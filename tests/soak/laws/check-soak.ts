import type { PendingAction, SoakHistory } from "./soak-history.js";

/** What the database holds at the end. */
export interface SoakSnapshot {
  /** The turns in the newest state of each thread that is there. */
  readonly turns: ReadonlyMap<string, readonly string[]>;
  /** The numbers of each user's items. */
  readonly items: ReadonlyMap<number, ReadonlySet<number>>;
  /** What `verify` has found. */
  readonly problems: readonly string[];
}

/** How much the heap of a process may grow in the second half of its life: a part of it, and so many bytes. */
const GROWTH = 1.2;
const GROWTH_BYTES = 16 * 2 ** 20;

/** With fewer measurements the heap of a process tells nothing. */
const LEAST_MEASUREMENTS = 8;

/** Returns what is wrong at the end, by the laws of the soak. */
export function checkSoak(history: SoakHistory, snapshot: SoakSnapshot, users: number): string[] {
  return [
    ...history.violations,
    ...lostTurns(history, snapshot),
    ...lostItems(history, snapshot),
    ...snapshot.problems,
    ...Array.from({ length: users }, (_, user) => user)
      .filter((user) => !history.finished.has(user))
      .map((user) => `user ${user}: the last turn has not succeeded`),
    ...growingProcesses(history),
  ];
}

function lostTurns({ threads }: SoakHistory, { turns }: SoakSnapshot): string[] {
  return [...threads].flatMap(([id, { place, turns: acknowledged }]) =>
    place === "deleted" ? [] : missingTurns(id, acknowledged, turns.get(id) ?? []),
  );
}

/** Returns what is wrong with the turns of a thread: each that was acknowledged is in its state, in order and once. */
export function missingTurns(
  thread: string,
  acknowledged: readonly string[],
  found: readonly string[],
): string[] {
  const lost = acknowledged.filter((turn) => !found.includes(turn));
  const twice = found.filter((turn, at) => found.indexOf(turn) < at);
  const places = acknowledged.map((turn) => found.indexOf(turn));
  const isOrdered = lost.length > 0 || places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0));
  return [
    ...lost.map((turn) => `thread ${thread}: the acknowledged turn ${turn} is lost`),
    ...twice.map((turn) => `thread ${thread}: the turn ${turn} is there twice`),
    ...(isOrdered ? [] : [`thread ${thread}: its turns are in another order`]),
  ];
}

function lostItems({ items }: SoakHistory, snapshot: SoakSnapshot): string[] {
  return [...items].flatMap(([user, numbers]) =>
    numbers
      .filter((number) => snapshot.items.get(user)?.has(number) !== true)
      .map((number) => `user ${user}: the acknowledged item ${number} is lost`),
  );
}

function growingProcesses({ memory }: SoakHistory): string[] {
  return [...memory].flatMap(([process, all]) => {
    if (all.length < LEAST_MEASUREMENTS) return [];
    const quarter = Math.floor(all.length / 4);
    const before = median(all.slice(quarter, 2 * quarter));
    const after = median(all.slice(-quarter));
    if (after <= before * GROWTH + GROWTH_BYTES) return [];
    return [`process ${process}: its heap grew from ${mebibytes(before)} to ${mebibytes(after)}`];
  });
}

/** Returns the actions that somebody has waited for longer than the bound, the longest wait first. */
export function overdue({ pending }: SoakHistory, now: number, boundMs: number): PendingAction[] {
  return [...pending.values()].filter(({ at }) => now - at > boundMs).sort((a, b) => a.at - b.at);
}

/** Formats a number of bytes. */
export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
