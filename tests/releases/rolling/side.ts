import { setImmediate } from "node:timers/promises";
import type { Checkpoint, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { PostgresCache } from "../../../src/cache/index.js";
import type { PostgresSaver } from "../../../src/index.js";
import type { PostgresStore } from "../../../src/store/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  threadConfig,
} from "../../../test-support/checkpoints.js";
import { hasMethod, type Release } from "../release.js";
import { distinctText } from "../content/values.js";

/** What a version can do that the first one could not. */
export interface Abilities {
  readonly splices: boolean;
  readonly tombstones: boolean;
  readonly locks: boolean;
}

type Head = Pick<CheckpointTuple, "config" | "checkpoint">;

/** Long enough to be spliced. */
const FIRST = distinctText(0, 5_000);
const SOON_MS = 60_000;

/**
 * A process of an application during a rolling upgrade. The test has one of the newest version, and a process of its own has one of an
 * earlier version. The values of a thread are a list that grows, and a map, which any version can write.
 */
export class Side {
  readonly abilities: Abilities;
  readonly #saver: PostgresSaver;
  readonly #keeping: PostgresSaver;
  readonly #store: PostgresStore | undefined;
  readonly #cache: PostgresCache | undefined;
  readonly #stored = new Map<string, Head>();
  readonly #locks = new Map<string, () => Promise<void>>();

  /**
   * @param release - The version that this process has.
   * @param options - The options of the savers that both versions know.
   */
  constructor(
    release: Release,
    url: string,
    options: { readonly splices: boolean; readonly tombstones: boolean },
  ) {
    const { PostgresSaver } = release.index;
    this.abilities = {
      splices: hasMethod(release, "compact"),
      tombstones: hasMethod(release, "listTombstones"),
      locks: hasMethod(release, "withThreadLock"),
    };
    const splices = options.splices ? { splices: true } : {};
    this.#saver = new PostgresSaver(url, undefined, splices);
    this.#keeping = options.tombstones
      ? new PostgresSaver(url, undefined, { ...splices, keepTombstones: true })
      : this.#saver;
    const { PostgresStore } = release.store ?? {};
    this.#store = PostgresStore && new PostgresStore(url, { ensureTables: false });
    const { PostgresCache } = release.cache ?? {};
    this.#cache =
      PostgresCache && new PostgresCache(url, { onError: "throw", ensureTables: false, deadlineMs: SOON_MS });
  }

  /** Does what a process does as it starts. */
  async setup(): Promise<void> {
    await this.#saver.setup();
    await this.#store?.setup();
    await this.#cache?.setup();
  }

  /** Continues a thread from its newest checkpoint by an item, and returns how many it has then. */
  async append(thread: string, item: string): Promise<number> {
    const head = await this.#saverOf(thread).getTuple(threadConfig(thread));
    return this.#appendTo(thread, head, item);
  }

  /** Continues a thread from the checkpoint that this process stored last, whatever has become of it. */
  async appendUnread(thread: string, item: string): Promise<number> {
    return this.#appendTo(thread, this.#stored.get(thread), item);
  }

  async #appendTo(thread: string, head: Head | undefined, item: string): Promise<number> {
    const saver = this.#saverOf(thread);
    const list = [...(listOf(head?.checkpoint) ?? [FIRST]), item];
    const values = { list, map: new Map([[item, new Date(list.length)]]) };
    await nextMillisecond();
    const checkpoint = checkpointOf(saver, values, head?.checkpoint);
    // An application may count versions itself, so that they are the same again in a thread that begins anew.
    if (thread.startsWith("counted")) checkpoint.channel_versions = { list: list.length, map: list.length };
    const parent = head?.config ?? threadConfig(thread);
    const config = await saver.put(parent, checkpoint, metadataOf(list.length), allVersions(checkpoint));
    this.#stored.set(thread, { config, checkpoint });
    return list.length;
  }

  /** Stores a write of a task at the newest checkpoint. */
  async write(thread: string, item: string): Promise<void> {
    const saver = this.#saverOf(thread);
    const head = await saver.getTuple(threadConfig(thread));
    if (head !== undefined) await saver.putWrites(head.config, [["list", item]], `task ${item}`);
  }

  /** Returns the items of the newest checkpoint. */
  async read(thread: string): Promise<readonly string[] | undefined> {
    const tuple = await this.#saver.getTuple(threadConfig(thread));
    const list = listOf(tuple?.checkpoint);
    if (list === undefined) return undefined;
    const map = tuple?.checkpoint.channel_values.map;
    if (!(map instanceof Map) || !map.has(list.at(-1)))
      throw new Error(`${thread}: the map is of another checkpoint`);
    return list.slice(1);
  }

  /** Returns the items of every checkpoint, the newest first, and the pending writes. */
  async readAll(
    thread: string,
  ): Promise<{ readonly lists: readonly string[][]; readonly writes: readonly unknown[] }> {
    const tuples = await collect(this.#saver.list(threadConfig(thread)));
    return {
      lists: tuples.map(({ checkpoint }) => (listOf(checkpoint) ?? []).slice(1)),
      writes: tuples.flatMap(({ pendingWrites }) => (pendingWrites ?? []).map(([, , value]) => value)),
    };
  }

  async remove(thread: string): Promise<void> {
    await this.#saverOf(thread).deleteThread(thread);
  }

  /** Locks a thread until {@link unlock}. */
  lock(thread: string): Promise<void> {
    return new Promise((locked, refused) => {
      const run = (): Promise<void> =>
        new Promise((end) => {
          this.#locks.set(thread, () => {
            end();
            return ended;
          });
          locked();
        });
      const ended = this.#saver.withThreadLock(thread, run, { waitMs: 0 });
      ended.catch(refused);
    });
  }

  async unlock(thread: string): Promise<void> {
    await this.#locks.get(thread)?.();
  }

  /** Stores an item, and returns its version. */
  async putItem(key: string, count: number): Promise<number | undefined> {
    await this.#store?.put(["shared"], key, { count });
    return (await this.#store?.get(["shared"], key))?.version;
  }

  async readItem(key: string): Promise<{ readonly count: unknown; readonly version: number } | undefined> {
    const item = await this.#store?.get(["shared"], key);
    return item ? { count: item.value.count, version: item.version } : undefined;
  }

  async setEntry(key: string, count: number): Promise<void> {
    await this.#cache?.set([{ key: [["shared"], key], value: { count: BigInt(count) } }]);
  }

  async readEntry(key: string): Promise<unknown> {
    const [entry] = (await this.#cache?.get([[["shared"], key]])) ?? [];
    return entry?.value;
  }

  async end(): Promise<void> {
    await Promise.all([this.#saver.end(), this.#store?.end(), this.#cache?.end()]);
    if (this.#keeping !== this.#saver) await this.#keeping.end();
  }

  #saverOf(thread: string): PostgresSaver {
    return thread.startsWith("kept") ? this.#keeping : this.#saver;
  }
}

function listOf(checkpoint: Checkpoint | undefined): string[] | undefined {
  return checkpoint?.channel_values.list as string[] | undefined;
}

/** Ids that two processes make in the same millisecond are in any order. */
async function nextMillisecond(): Promise<void> {
  const start = Date.now();
  while (Date.now() === start) await setImmediate();
}
