import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../chaos/random.js";
import { missingTurns } from "../laws/check-soak.js";
import type { ActionKind, BeganEntry, UntimedSoakEntry } from "../laws/soak-entry.js";
import type { SoakHistory } from "../laws/soak-history.js";
import { answerTo } from "./growing-graph.js";
import type { OpenedServices, Service } from "./open-service.js";

/** A thread that the user uses now. */
interface OpenThread {
  readonly id: string;
  /** The acknowledged turns. */
  readonly turns: string[];
  /** How many characters a turn adds. */
  readonly grows: number;
  isStored: boolean;
}

/** What a user needs. */
export interface UserParts {
  readonly number: number;
  readonly opened: OpenedServices;
  /** The folder of the archive. */
  readonly archive: string;
  readonly random: Random;
  readonly note: (entry: UntimedSoakEntry) => void;
  /** Returns a new id of an action. */
  readonly nextAction: () => string;
  /** What earlier processes have done. */
  readonly before: SoakHistory;
}

const THREADS = 2;
/** A thread of so many turns is archived or deleted, and another one takes its place. */
const TURNS = 24;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 3_000;
const LONGEST_RUN_MS = 200;
const DURABILITIES = ["sync", "async", "exit"] as const;

/** A user who talks to the graph on a few threads, one turn after the other. */
export class User {
  readonly #parts: UserParts;
  readonly #service: Service;
  readonly #threads: OpenThread[];
  #items: number;

  constructor(parts: UserParts) {
    const { number, opened, before } = parts;
    this.#parts = parts;
    this.#service = opened.serviceOf(number);
    this.#items = Math.max(0, ...(before.items.get(number) ?? [])) + 100;
    // What the killed process has not ended may be half done: such a thread is restored first, and then used.
    this.#threads = [...before.threads]
      .filter(([, { user, place }]) => user === number && (place === "stored" || place === "unknown"))
      .slice(-THREADS)
      .map(([id, { place, turns }]) => ({
        id,
        turns: [...turns],
        grows: this.#growth(),
        isStored: place === "stored",
      }));
    while (this.#threads.length < THREADS) this.#threads.push(this.#newThread());
  }

  /** Makes turns until the signal aborts, and then a last one on each thread. */
  async live(stop: AbortSignal): Promise<void> {
    const { random } = this.#parts;
    while (!stop.aborted) {
      await this.#step(random.pick(this.#threads));
      await sleep(random.between(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS), undefined, { signal: stop }).catch(
        () => undefined,
      );
    }
    for (const thread of this.#threads) {
      if (await this.#bring(thread)) await this.#turn(thread, { isLast: true });
    }
  }

  async #step(thread: OpenThread): Promise<void> {
    if (!(await this.#bring(thread))) return;
    if (thread.turns.length >= TURNS) await this.#retire(thread);
    else if (thread.turns.length > 0 && this.#parts.random.chance(0.01)) await this.#move(thread, "archive");
    else await this.#turn(thread, { isLast: false });
  }

  #growth(): number {
    const { random } = this.#parts;
    return random.chance(0.25) ? random.between(5_000, 25_000) : random.between(20, 1_000);
  }

  #newThread(): OpenThread {
    const id = `user ${this.#parts.number}, ${this.#parts.nextAction()}`;
    return { id, turns: [], grows: this.#growth(), isStored: true };
  }

  async #turn({ id, turns, grows }: OpenThread, { isLast }: { readonly isLast: boolean }): Promise<void> {
    const { random, number: user, note } = this.#parts;
    const durability = random.pick(DURABILITIES);
    const ending = new AbortController();
    const isCancelled = !isLast && random.chance(0.05);
    const cancel = (): void => {
      ending.abort();
    };
    if (isCancelled) setTimeout(cancel, random.between(0, LONGEST_RUN_MS));
    const number = ++this.#items;
    await this.#act(
      { kind: "turn", thread: id, how: durability, isLast, signal: ending.signal },
      async (turn) => {
        const input = { turn, user, number, text: turn.padEnd(grows, `${turn} `) };
        const state = await this.#service.graph.invoke(input, {
          durability,
          signal: ending.signal,
          configurable: {
            thread_id: id,
            onItem: () => {
              note({ type: "item", user, number });
            },
            onViolation: (text: string) => {
              note({ type: "violation", text });
            },
          },
        });
        turns.push(turn);
        if (state.answer !== answerTo(number))
          note({ type: "violation", text: `turn ${turn}: ${state.answer}` });
        for (const text of missingTurns(id, turns, state.turns))
          note({ type: "violation", text: `in turn ${turn}: ${text}` });
      },
    );
  }

  /** Checks the thread, and then archives or deletes it. */
  async #retire(thread: OpenThread): Promise<void> {
    const isMoved = await this.#move(thread, this.#parts.random.chance(0.1) ? "archive" : "delete");
    if (isMoved || !thread.isStored) this.#threads[this.#threads.indexOf(thread)] = this.#newThread();
  }

  async #move(thread: OpenThread, kind: "archive" | "delete"): Promise<boolean> {
    const { opened, archive, note } = this.#parts;
    const { saver } = this.#service;
    const { id, turns } = thread;
    const tuple = await saver.getTuple({ configurable: { thread_id: id } }).catch(() => undefined);
    if (tuple === undefined) return false;
    const found = tuple.checkpoint.channel_values.turns as string[];
    for (const text of missingTurns(id, turns, found))
      note({ type: "violation", text: `before ${kind}: ${text}` });
    thread.isStored = false;
    return this.#act({ kind, thread: id }, async () => {
      if (kind === "delete") await saver.deleteThread(id);
      else await saver.archive({ to: opened.archiveFolder(archive), strategy: "delete", threads: [id] });
    });
  }

  /** Restores a thread that was archived, or may have been. @returns Whether it can be used. */
  #bring(thread: OpenThread): Promise<boolean> {
    if (thread.isStored) return Promise.resolve(true);
    const { opened, archive } = this.#parts;
    return this.#act({ kind: "restore", thread: thread.id }, async () => {
      await this.#service.saver.restore({ from: opened.archiveFolder(archive), threads: [thread.id] });
      thread.isStored = true;
    });
  }

  /** @returns Whether it has succeeded. */
  async #act(
    {
      kind,
      thread,
      how = "",
      isLast = false,
      signal,
    }: Pick<BeganEntry, "kind" | "thread"> &
      Partial<Pick<BeganEntry, "how" | "isLast">> & {
        readonly kind: ActionKind;
        readonly signal?: AbortSignal;
      },
    run: (action: string) => Promise<void>,
  ): Promise<boolean> {
    const { note, number: user, nextAction } = this.#parts;
    const action = nextAction();
    note({ type: "began", action, kind, user, thread, how, isLast });
    try {
      await run(action);
      note({ type: "done", action });
      return true;
    } catch (error) {
      const text = error instanceof Error ? `${kind}: ${error.name}: ${error.message}` : String(error);
      note(
        signal?.aborted === true ? { type: "cancelled", action } : { type: "failed", action, error: text },
      );
      return false;
    }
  }
}
