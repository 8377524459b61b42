import type { WriteRules } from "./write-rules.js";
import type { RuledCall, RuledStep } from "./ruled-history.js";

interface Stored {
  readonly thread: string;
  readonly ns: string;
  readonly id: string;
  readonly parent: string | undefined;
}

interface State {
  readonly checkpoints: readonly Stored[];
  /** Of each write its thread, namespace and checkpoint, as JSON. */
  readonly writes: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

/** What a step is refused for. */
export type Refusal = "CONCURRENT_MODIFICATION" | "THREAD_DELETED";

/** The rules for writes as a reader of the documentation has them: one call after another, all of a step or nothing. */
export class RuledModel {
  readonly #rules: WriteRules;
  #state: State = { checkpoints: [], writes: new Set(), deleted: new Set() };

  constructor(rules: WriteRules) {
    this.#rules = rules;
  }

  /**
   * @returns What the step is refused for, if it is. A thread that is deleted comes first, whichever call of a batch is
   *   wrong otherwise.
   */
  make(step: RuledStep): Refusal | undefined {
    const refusals = new Set<Refusal>();
    let state = this.#state;
    for (const call of step) {
      const refusal = this.#refusalOf(call, state);
      if (refusal !== undefined) refusals.add(refusal);
      state = after(call, state, this.#rules.keepTombstones);
    }
    if (refusals.has("THREAD_DELETED")) return "THREAD_DELETED";
    if (refusals.has("CONCURRENT_MODIFICATION")) return "CONCURRENT_MODIFICATION";
    this.#state = state;
    return undefined;
  }

  /** Each checkpoint of a thread with its parent. */
  linesOf(thread: string): readonly string[] {
    const lines = this.#state.checkpoints.filter((stored) => stored.thread === thread);
    return lines.map(({ ns, id, parent }) => `${ns}/${id} after ${parent ?? "nothing"}`).sort();
  }

  /** The threads that have a tombstone. */
  get tombstones(): readonly string[] {
    return [...this.#state.deleted].sort();
  }

  writesOf(thread: string): number {
    return [...this.#state.writes].filter((key) => key.startsWith(JSON.stringify([thread]).slice(0, -1)))
      .length;
  }

  #refusalOf(call: RuledCall, { checkpoints, deleted }: State): Refusal | undefined {
    if (call.kind === "deleteThread") return undefined;
    if (this.#rules.keepTombstones && deleted.has(call.thread)) return "THREAD_DELETED";
    if (this.#rules.concurrency === "unchecked" || call.kind === "putWrites") return undefined;
    if (call.source === "fork" || call.source === "update") return undefined;
    const near = checkpoints.filter(({ thread, ns }) => thread === call.thread && ns === call.ns);
    const head = near.sort((a, b) => bytewise(b.id, a.id))[0];
    if (head === undefined || near.some(({ id }) => id === call.id)) return undefined;
    const isNext = call.parent === head.id && bytewise(call.id, head.id) > 0;
    const isBegin = call.parent === undefined && head.parent === call.id && bytewise(call.id, head.id) < 0;
    return isNext || isBegin ? undefined : "CONCURRENT_MODIFICATION";
  }
}

function after(call: RuledCall, state: State, keepsTombstones: boolean): State {
  if (call.kind === "deleteThread") {
    return {
      checkpoints: state.checkpoints.filter(({ thread }) => thread !== call.thread),
      writes: new Set([...state.writes].filter((key) => (JSON.parse(key) as string[])[0] !== call.thread)),
      deleted: keepsTombstones ? new Set([...state.deleted, call.thread]) : state.deleted,
    };
  }
  const { thread, ns, id } = call;
  if (call.kind === "putWrites") {
    return { ...state, writes: new Set([...state.writes, JSON.stringify([thread, ns, id])]) };
  }
  const isKnown = state.checkpoints.some(
    (each) => each.thread === thread && each.ns === ns && each.id === id,
  );
  if (isKnown) return state;
  return { ...state, checkpoints: [...state.checkpoints, { thread, ns, id, parent: call.parent }] };
}

function bytewise(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
