import { compareTuple } from "./compare-tuple.js";
import { type History, type ThreadHistory, type Tracked, writeKey } from "./history.js";
import type { Snapshot } from "./snapshot.js";
import { groupBy } from "../../../src/db/group-by.js";

/** An error in the database. */
export interface Finding {
  /**
   * - `lost`: acknowledged, but missing
   * - `halfWritten`: stored in part, mixed with another value, or different from what was sent
   * - `cameBack`: stored, although its deletion was acknowledged
   * - `unexplained`: stored, but never sent
   */
  readonly kind: "lost" | "halfWritten" | "cameBack" | "unexplained";
  readonly thread: string;
  readonly text: string;
}

/** Compares the calls in the journal with the contents of the database, and returns the errors. */
export function check(history: History, snapshot: Snapshot): Finding[] {
  const threads = new Set([...history.threads.keys(), ...snapshot.tuples.keys()]);
  return [
    ...[...threads].flatMap((thread) => checkThread(thread, history.thread(thread), snapshot)),
    ...snapshot.unreadable.map((text) => halfWritten("", text)),
    ...snapshot.missingBlobs.map((place) => halfWritten("", `no blob: ${place}`)),
  ];
}

function checkThread(thread: string, known: ThreadHistory, snapshot: Snapshot): Finding[] {
  const tuples = new Map((snapshot.tuples.get(thread) ?? []).map((tuple) => [tuple.checkpoint.id, tuple]));
  const writes = new Set((snapshot.writes.get(thread) ?? []).map(writeKey));
  const found = new Set([...tuples.keys(), ...writes]);
  return [
    ...[...known.checkpoints].flatMap(([id, tracked]) => checkPresence(thread, id, tracked, found)),
    ...[...known.writes].flatMap(([key, tracked]) => checkPresence(thread, key, tracked, found)),
    ...checkGroups(thread, known, found),
    ...[...found]
      .filter((key) => !known.checkpoints.has(key) && !known.writes.has(key))
      .map((key): Finding => ({ kind: "unexplained", thread, text: key })),
    ...[...tuples.values()].flatMap((tuple) => {
      const tracked = known.checkpoints.get(tuple.checkpoint.id);
      if (tracked === undefined) return [];
      const differences = compareTuple(tracked.item, known.writesOf(tracked.item.id), tuple);
      return differences.map((text) => halfWritten(thread, text));
    }),
  ];
}

function checkPresence(
  thread: string,
  key: string,
  { certainty, group }: Tracked<unknown>,
  found: ReadonlySet<string>,
): Finding[] {
  const text = `${key}, of operation ${group}`;
  if (certainty === "present" && !found.has(key)) return [{ kind: "lost", thread, text }];
  if (certainty === "absent" && found.has(key)) return [{ kind: "cameBack", thread, text }];
  return [];
}

/** Checks that of an operation with an unknown outcome, either all rows exist or none. */
function checkGroups(thread: string, known: ThreadHistory, found: ReadonlySet<string>): Finding[] {
  const uncertain = [...known.checkpoints, ...known.writes].filter(
    ([, { certainty }]) => certainty === "unknown",
  );
  const groups = groupBy(uncertain, ([, { group }]) => group);
  return [...groups].flatMap(([group, members]) => {
    const there = members.filter(([key]) => found.has(key)).length;
    if (there === 0 || there === members.length) return [];
    return [halfWritten(thread, `${there} of ${members.length} rows of operation ${group}`)];
  });
}

function halfWritten(thread: string, text: string): Finding {
  return { kind: "halfWritten", thread, text };
}
