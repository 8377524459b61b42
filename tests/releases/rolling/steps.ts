import { expect } from "@jest/globals";
import fc from "fast-check";
import { outcomesOf } from "../../../test-support/put-from.js";
import type { Side } from "./side.js";
import type { Method } from "./old-side.js";

/** A process of either version. */
export type AnySide = Pick<Side, Method>;

/** What both processes have done to a thread. */
interface Thread {
  readonly id: string;
  /** Whether the savers keep a tombstone of it. */
  readonly isKept: boolean;
  /** Whether the application counts the versions of its channels. */
  readonly isCounted: boolean;
  list: readonly string[] | undefined;
  writes: readonly string[];
  isGone: boolean;
  changes: number;
}

/** A step by one of both processes, `here`. The other one is `there`. */
type Step = (here: AnySide, there: AnySide, thread: Thread, item: string) => Promise<void>;

const STEPS = {
  async append(here, _there, thread, item) {
    const list = [...(thread.list ?? []), item];
    expect(await here.append(thread.id, item)).toBe(list.length + 1);
    thread.list = list;
  },
  async write(here, _there, thread, item) {
    await here.write(thread.id, item);
    if (thread.list !== undefined) thread.writes = [...thread.writes, item];
  },
  async remove(here, _there, thread) {
    await here.remove(thread.id);
    forget(thread);
  },
  async "both append"(here, there, thread, item) {
    // They would claim the same version.
    if (thread.isCounted) return;
    await Promise.all([here.append(thread.id, `${item} here`), there.append(thread.id, `${item} there`)]);
    const { lists } = await there.readAll(thread.id);
    expect(lists.filter((list) => list.at(-1)?.startsWith(item))).toHaveLength(2);
    thread.list = lists[0];
  },
  async "one appends and one removes"(here, there, thread, item) {
    const { errors } = await outcomesOf([here.append(thread.id, item), there.remove(thread.id)]);
    const refused = errors.map(() => expect.objectContaining({ code: "THREAD_DELETED" }) as unknown);
    expect(errors).toEqual(thread.isKept ? refused : []);
    forget(thread);
    // Without a tombstone the put may come after the deletion.
    if (!thread.isKept) await here.remove(thread.id);
  },
  async "put an item"(here, there, thread) {
    const before = await there.readItem(thread.id);
    const version = await here.putItem(thread.id, ++thread.changes);
    expect(version).toBe((before?.version ?? 0) + 1);
    expect(await there.readItem(thread.id)).toEqual({ count: thread.changes, version });
  },
  async "set an entry"(here, there, thread) {
    await here.setEntry(thread.id, ++thread.changes);
    expect(await there.readEntry(thread.id)).toEqual({ count: BigInt(thread.changes) });
  },
} satisfies Record<string, Step>;

function forget(thread: Thread): void {
  thread.list = undefined;
  thread.writes = [];
  thread.isGone = thread.isKept;
}

/** Steps by both processes on three threads. */
export const anySteps = fc.array(
  fc.record({
    by: fc.constantFrom("old" as const, "newest" as const),
    kind: fc.constantFrom("kept", "counted", "plain"),
    call: fc.oneof(
      { weight: 7, arbitrary: fc.constant("append" as const) },
      { weight: 6, arbitrary: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])) },
    ),
  }),
  { minLength: 15, maxLength: 25 },
);

/** What both versions know. */
export interface Common {
  readonly tombstones: boolean;
  readonly items: boolean;
  readonly entries: boolean;
}

/**
 * Runs steps, and expects after each of them that both processes read the same.
 *
 * @param name - Ends the ids of the threads.
 */
export async function runSteps(
  sides: Readonly<Record<"old" | "newest", AnySide>>,
  steps: readonly {
    readonly by: "old" | "newest";
    readonly kind: string;
    readonly call: keyof typeof STEPS;
  }[],
  common: Common,
  name: string,
): Promise<void> {
  const threads = new Map<string, Thread>();
  for (const [at, { by, kind, call }] of steps.entries()) {
    const [here, there] = by === "old" ? [sides.old, sides.newest] : [sides.newest, sides.old];
    const thread = threads.get(kind) ?? newThread(kind, `${kind} ${name}`, common.tombstones);
    threads.set(kind, thread);
    if ((call === "put an item" && !common.items) || (call === "set an entry" && !common.entries)) continue;
    if (thread.isGone) {
      const late = here.append(thread.id, "late");
      await expect(late).rejects.toMatchObject({ code: "THREAD_DELETED" });
    } else await STEPS[call](here, there, thread, `item ${at}`);
    expect(await there.read(thread.id)).toEqual(thread.list);
  }
  for (const { id, list, writes } of threads.values()) {
    const [byOld, byNewest] = await Promise.all([sides.old.readAll(id), sides.newest.readAll(id)]);
    expect(byOld).toEqual(byNewest);
    expect(byNewest.lists[0]).toEqual(list);
    expect(byNewest.writes.toSorted()).toEqual([...writes].sort());
  }
}

function newThread(kind: string, id: string, keeps: boolean): Thread {
  return {
    id,
    isKept: kind === "kept" && keeps,
    isCounted: kind === "counted",
    list: undefined,
    writes: [],
    isGone: false,
    changes: 0,
  };
}
