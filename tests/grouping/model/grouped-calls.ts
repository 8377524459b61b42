import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import type { SaverCall } from "../../../src/saver/call/saver-call.js";
import type { BatchOperation } from "../../../src/saver/codec/resolve-batch.js";
import { CallGroups } from "../../../src/db/grouping/call-groups.js";
import { type SendBounds, LockWaits } from "../../../src/db/grouping/lock-waits.js";
import { GroupContent, type StoredCall } from "../../../src/saver/grouping/group-content.js";
import { openSaver } from "../../../src/saver/open-saver.js";
import { storeInTurn } from "../../../src/saver/storing/store.js";
import type { ManualTime } from "../../../test-support/manual-time.js";
import { FakeStatement, type StatementEnd } from "./fake-statement.js";
import { operationOf } from "./operation-of.js";
import { type CallShape, TestCall } from "./test-call.js";

/** The longest time until a call looks again at what it waits for: the pause before it tries a lock again. */
const LONGEST_PAUSE_MS = 200;

/** What the groups are opened with. */
export interface GroupsShape {
  readonly connections: number;
  readonly statementTimeoutMs?: number | undefined;
  /** Whether transient failures are retried. */
  readonly retries: boolean;
}

/** The group commit of a saver, whose statements end when the test says so. It checks the laws of the queues after each step. */
export class GroupedCalls {
  readonly calls: TestCall[] = [];
  /** The statements under way. */
  readonly statements: FakeStatement[] = [];
  readonly #time: ManualTime;
  readonly #limitMs: number;
  readonly #call: SaverCall;
  /** What was wrong with statements that were sent. */
  readonly #faults: string[] = [];
  readonly #byOperation = new WeakMap<BatchOperation, TestCall>();

  constructor({ connections, statementTimeoutMs, retries }: GroupsShape, time: ManualTime) {
    this.#time = time;
    this.#limitMs = statementTimeoutMs ?? Infinity;
    const retry = retries ? {} : false;
    const storeTogether = (calls: readonly StoredCall[]): Promise<readonly boolean[]> =>
      this.#send(
        calls.map(({ operation }) => this.#byOperation.get(operation)),
        {},
      );
    this.#call = {
      // Nothing is sent to it.
      ...openSaver("memory://", undefined, { statementTimeoutMs, retry }).call,
      groups: new CallGroups<StoredCall>(
        { newContent: () => new GroupContent(), storeTogether },
        connections,
        new LockWaits(connections - 1),
      ),
    };
  }

  /** Makes a call, whose encoding begins. */
  arrive(shape: CallShape): TestCall {
    const call = new TestCall(this.calls.length, shape);
    this.calls.push(call);
    const operation = operationOf(shape);
    this.#byOperation.set(operation, call);
    const encode = async (): Promise<BatchOperation> => {
      await call.encoding;
      call.waitsSince = this.#time.now;
      return operation;
    };
    const store = async ({ signal, lockTimeoutMs }: SaverCall): Promise<void> => {
      await this.#send([call], {
        ...(signal && { signal }),
        ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
      });
    };
    const { threadId } = shape;
    call.follow(storeInTurn({ ...this.#call, signal: call.signal }, { threadId, encode, store }));
    return call;
  }

  /** Ends a statement under way. */
  end(statement: FakeStatement, end: StatementEnd): void {
    this.statements.splice(this.statements.indexOf(statement), 1);
    for (const call of statement.calls) {
      call.isUnderWay = false;
      call.waitsSince = this.#time.now;
    }
    statement.end(end);
  }

  /** Freezes the process, during which nobody waits. */
  freeze(ms: number): void {
    this.#time.freeze(ms);
    for (const call of this.calls) if (call.waitsSince !== undefined) call.waitsSince += ms;
  }

  /** Waits until nothing goes on by itself, and checks the laws. */
  async settle(): Promise<void> {
    // A group lets its callers go on in a later turn of the event loop.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    assert.deepEqual(this.#faults, []);
    for (const call of this.calls) {
      assert(call.hasRightOutcome, `call ${call.number} has another outcome than its statement`);
      if (call.isUnderWay) this.#checkOrder(call);
      else if (!call.isSettled) this.#checkWait(call);
    }
  }

  /** Lets everything end, in the order of the statements. Every call must settle. */
  async drain(): Promise<void> {
    for (const call of this.calls) call.encode();
    await this.settle();
    for (let steps = 0; this.calls.some(({ isSettled }) => !isSettled); steps++) {
      assert(steps < 20 * this.calls.length, "calls never settle");
      const [statement] = this.statements;
      if (statement === undefined) this.#time.pass(LONGEST_PAUSE_MS);
      else this.end(statement, "it stores all");
      await this.settle();
    }
    this.#time.pass(LONGEST_PAUSE_MS);
    assert.deepEqual(this.#time.timersOf("/grouping/"), [], "a call that has settled leaves a timer");
    for (const { number, signal } of this.calls) {
      const listeners = signal === undefined ? [] : getEventListeners(signal, "abort");
      assert.deepEqual(listeners, [], `call ${number} still listens to its signal`);
    }
  }

  /** The earlier calls of its thread have settled, or are sent in the same statement before it. */
  #checkOrder(call: TestCall): void {
    const { calls = [] } = this.statements.find((statement) => statement.calls.includes(call)) ?? {};
    const before = calls.slice(0, calls.indexOf(call));
    const overtaken = this.#unsettledOf(call.shape.threadId).find(
      (other) => other.number < call.number && !before.includes(other),
    );
    assert(overtaken === undefined, `call ${call.number} was sent before call ${overtaken?.number}`);
  }

  /**
   * A call waits while it is encoded, for earlier calls on its thread, for a statement to end so that it can share the next one, or for
   * a lock.
   */
  #checkWait(call: TestCall): void {
    const { number, waitsSince, shape, hasFoundLock, mayShare } = call;
    assert(!call.isAborted, `call ${number} goes on after it was aborted`);
    if (waitsSince === undefined) return;
    const waitedMs = this.#time.now - waitsSince;
    // The limit begins anew where the whole thread waits for a statement, and lasts longer where the process is frozen at its end.
    assert(
      hasFoundLock || waitedMs <= 4 * this.#limitMs,
      `call ${number} waits for longer than its time limit`,
    );
    if (this.#unsettledOf(shape.threadId)[0] !== call) return;
    const isNotifiedLater = this.#time.timers.length > 0;
    const isBeingSent = (other: TestCall): boolean =>
      !other.isSettled && (other.isUnderWay || other.hasFoundLock);
    const waitsForOthers = mayShare && this.calls.some((other) => other.mayShare && isBeingSent(other));
    assert(isNotifiedLater && (hasFoundLock || waitsForOthers), `call ${number} waits for nothing`);
  }

  #unsettledOf(threadId: string): TestCall[] {
    return this.calls.filter((call) => call.shape.threadId === threadId && !call.isSettled);
  }

  #send(calls: readonly (TestCall | undefined)[], bounds: SendBounds): Promise<boolean[]> {
    const sent = calls.filter((call) => call !== undefined);
    for (const call of sent) {
      // Not thrown here, where it would be an error of the statement.
      if (call.isStored || call.isUnderWay) this.#faults.push(`call ${call.number} is sent twice`);
      if (call.isAlone && sent.length > 1) this.#faults.push(`call ${call.number} is in a second group`);
      call.isUnderWay = true;
    }
    const statement = new FakeStatement(sent, bounds);
    this.statements.push(statement);
    return statement.outcome;
  }
}
