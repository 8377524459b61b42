import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { abortErrorOf } from "../../../src/db/statements/cancellation.js";
import { AbortError, ConnectionError, DatabaseError } from "../../../src/errors/index.js";
import { type TupleRead, tupleReadRules } from "../../../src/saver/grouping/tuple-read.js";
import { ReadGroups } from "../../../src/db/grouping/read-groups.js";
import type { TupleRow } from "../../../src/saver/queries/tuple-row.js";
import type { ManualTime } from "../../../test-support/manual-time.js";

/** How a statement of reads ends. */
export const READ_ENDS = ["with rows", "refused", "without its connection"] as const;

export type ReadEnd = (typeof READ_ENDS)[number];

/** What a read of the model is like. Only reads with the same answer to `writes` share a statement. */
export interface ReadShape {
  readonly threadId: string;
  readonly writes: boolean;
  readonly hasSignal: boolean;
}

interface ReadStatement {
  /** The threads that it reads. */
  readonly threadIds: readonly string[];
  readonly writes: boolean;
  readonly isGroup: boolean;
  readonly signal: AbortSignal | undefined;
  readonly end: (how: ReadEnd) => void;
}

/** A read of the model, and what its caller got. */
export interface TestRead {
  readonly threadId: string;
  /** What its row contains. */
  readonly expected: string;
  readonly controller: AbortController | undefined;
  outcome: { readonly found?: readonly (string | null)[]; readonly error?: unknown } | undefined;
}

/** The groups of reads of a saver, whose statements end when the test says so. */
export class GroupedReads {
  readonly reads: TestRead[] = [];
  /** The statements under way. */
  readonly statements: ReadStatement[] = [];
  readonly #time: ManualTime;
  readonly #groups: ReadGroups<TupleRead, TupleRow>;
  /** The threads that a statement has read for nobody. */
  readonly #faults: string[] = [];

  constructor(connections: number, time: ManualTime) {
    this.#time = time;
    const rules = tupleReadRules(async (reads, { writes }, signal) => {
      const threadIds = reads.map(({ key }) => key.threadId);
      const found = await this.#send({ threadIds, writes, isGroup: true, signal });
      return found.map((row) => ({
        thread_id: row.checkpoint_id,
        checkpoint_ns: "",
        checkpoint_id: "1",
        row,
      }));
    });
    this.#groups = new ReadGroups(rules, connections);
  }

  arrive({ threadId, writes, hasSignal }: ReadShape): void {
    const controller = hasSignal ? new AbortController() : undefined;
    const read: TestRead = {
      threadId,
      expected: contentOf(threadId, writes),
      controller,
      outcome: undefined,
    };
    const signal = controller?.signal;
    this.reads.push(read);
    const rows = this.#groups.read({
      key: { threadId, checkpointNs: "" },
      selection: { channels: undefined, writes },
      signal,
      alone: () => this.#send({ threadIds: [threadId], writes, isGroup: false, signal }),
    });
    rows.then(
      (found) => {
        read.outcome = { found: found.map((row) => (row.part === "checkpoint" ? row.checkpoint : row.part)) };
      },
      (error: unknown) => {
        read.outcome = { error };
      },
    );
  }

  end(statement: ReadStatement, how: ReadEnd): void {
    this.statements.splice(this.statements.indexOf(statement), 1);
    statement.end(how);
  }

  /** Waits until nothing goes on by itself, and checks the laws. */
  async settle(): Promise<void> {
    await new Promise(setImmediate);
    assert.deepEqual(this.#faults, []);
    for (const { threadId, expected, controller, outcome } of this.reads) {
      const isAborted = controller?.signal.aborted === true;
      const reading = this.statements.filter(({ threadIds }) => threadIds.includes(threadId));
      if (outcome === undefined) {
        assert(!isAborted || reading.some(({ isGroup }) => !isGroup), "a read goes on after it was aborted");
        const waits = this.statements.length > 0 && this.#time.timers.length > 0;
        assert(reading.length > 0 || waits, "a read waits for nothing");
      } else if (outcome.found !== undefined) assert.deepEqual(outcome.found, [expected]);
      else assert(outcome.error instanceof AbortError ? isAborted : outcome.error instanceof DatabaseError);
    }
  }

  /** Lets everything end. Every read must settle. */
  async drain(): Promise<void> {
    await this.settle();
    for (let steps = 0; this.statements.length > 0; steps++) {
      assert(steps <= 2 * this.reads.length, "statements never end");
      for (const statement of [...this.statements]) this.end(statement, "with rows");
      await this.settle();
    }
    assert(
      this.reads.every(({ outcome }) => outcome !== undefined),
      "a read never settles",
    );
    this.#time.pass(100);
    assert.deepEqual(this.#time.timersOf("/grouping/"), [], "a read that has settled leaves a timer");
    const listening = this.reads.filter(
      ({ controller }) =>
        controller !== undefined && getEventListeners(controller.signal, "abort").length > 0,
    );
    assert.deepEqual(listening, [], "a read that has settled listens to its signal");
  }

  #send({ threadIds, writes, isGroup, signal }: Omit<ReadStatement, "end">): Promise<CheckpointRows> {
    // Not thrown here, where it would be an error of the statement.
    if (signal?.aborted !== true)
      this.#faults.push(...threadIds.filter((threadId) => !this.#isAwaited(threadId)));
    return new Promise((resolve, reject) => {
      const end = (how: ReadEnd): void => {
        if (signal?.aborted === true) reject(abortErrorOf(signal));
        else if (how === "with rows") resolve(threadIds.map((threadId) => rowOf(threadId, writes)));
        else reject(how === "refused" ? new DatabaseError(how) : new ConnectionError(how));
      };
      // Nothing is sent for a call that was aborted before.
      if (signal?.aborted === true) end("refused");
      else this.statements.push({ threadIds, writes, isGroup, signal, end });
    });
  }

  /** Whether somebody waits for one more read of a thread. */
  #isAwaited(threadId: string): boolean {
    const isAborted = ({ controller }: TestRead): boolean => controller?.signal.aborted === true;
    const reads = this.reads.filter((read) => read.threadId === threadId);
    const pending = reads.filter((read) => read.outcome === undefined || isAborted(read));
    const sent = this.statements.filter(({ threadIds }) => threadIds.includes(threadId));
    return sent.length < pending.length && pending.some((read) => !isAborted(read));
  }
}

type CheckpointRows = Extract<TupleRow, { readonly part: "checkpoint" }>[];

function rowOf(threadId: string, writes: boolean): CheckpointRows[number] {
  return {
    part: "checkpoint",
    checkpoint_id: threadId,
    parent_checkpoint_id: null,
    checkpoint: contentOf(threadId, writes),
    metadata: null,
  };
}

function contentOf(threadId: string, writes: boolean): string {
  return `${threadId}, ${writes ? "with" : "without"} writes`;
}
