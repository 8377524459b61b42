import fc from "fast-check";
import type { ManualTime } from "../../../test-support/manual-time.js";
import { STATEMENT_ENDS } from "./fake-statement.js";
import type { GroupedCalls } from "./grouped-calls.js";
import { type GroupedReads, READ_ENDS, type ReadShape } from "./grouped-reads.js";
import type { CallShape, TestCall } from "./test-call.js";

interface History {
  /** It knows itself what must hold, so the steps need no model beside it. */
  readonly grouped: { settle(): Promise<void> };
  readonly time: ManualTime;
}

interface CallHistory extends History {
  readonly grouped: GroupedCalls;
}

interface ReadHistory extends History {
  readonly grouped: GroupedReads;
}

const seldom = fc.constantFrom(true, false, false, false, false);

const anyCall: fc.Arbitrary<CallShape> = fc.record({
  threadId: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  kind: fc.constantFrom("put", "put", "putWrites", "putWrites", "putWrites", "deleteThread"),
  isLarge: seldom,
  hasSignal: seldom,
});

const anyRead: fc.Arbitrary<ReadShape> = fc.record({
  threadId: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  writes: seldom,
  hasSignal: fc.boolean(),
});

const anyPlace = fc.nat(20);

/** A history of calls and statements: they arrive, become ready, are aborted, wait, end, fail and are frozen in any order. */
export const anyCalls = fc.commands<object, CallHistory, false>(
  [
    ...repeated(4, () =>
      anyCall.map((shape) =>
        step(`a call ${JSON.stringify(shape)} arrives and is encoded`, ({ grouped }: CallHistory) => {
          grouped.arrive(shape).encode();
        }),
      ),
    ),
    ...repeated(2, () =>
      anyCall.map((shape) =>
        step(`a call ${JSON.stringify(shape)} arrives`, ({ grouped }: CallHistory) => {
          grouped.arrive(shape);
        }),
      ),
    ),
    ...repeated(2, () =>
      atCall("is encoded", isEncoding, (call) => {
        call.encode();
      }),
    ),
    atCall("can't be encoded", isEncoding, (call) => {
      call.failToEncode();
    }),
    ...repeated(2, () =>
      atCall(
        "is aborted",
        ({ isSettled }) => !isSettled,
        (call) => {
          call.abort();
        },
      ),
    ),
    ...repeated(5, () =>
      fc.tuple(anyPlace, fc.constantFrom(...STATEMENT_ENDS)).map(([place, end]) =>
        step(`of statement ${place}: ${end}`, ({ grouped }: CallHistory) => {
          const statement = at(grouped.statements, place);
          if (statement !== undefined) grouped.end(statement, end);
        }),
      ),
    ),
    ...repeated(2, () => timePasses<CallHistory>()),
    fc.constantFrom(30, 3_000, 3_600_000).map((ms) =>
      step(`the process is frozen for ${ms} ms`, ({ grouped }: CallHistory) => {
        grouped.freeze(ms);
      }),
    ),
  ],
  { maxCommands: 60, size: "max" },
);

/** A history of reads: they arrive, are aborted, wait, end and fail in any order. */
export const anyReads = fc.commands<object, ReadHistory, false>(
  [
    ...repeated(5, () =>
      anyRead.map((shape) =>
        step(`a read ${JSON.stringify(shape)} arrives`, ({ grouped }: ReadHistory) => {
          grouped.arrive(shape);
        }),
      ),
    ),
    ...repeated(2, () =>
      anyPlace.map((place) =>
        step(`read ${place} is aborted`, ({ grouped }: ReadHistory) => {
          at(grouped.reads, place)?.controller?.abort();
        }),
      ),
    ),
    ...repeated(3, () =>
      fc.tuple(anyPlace, fc.constantFrom(...READ_ENDS)).map(([place, end]) =>
        step(`statement ${place} ends ${end}`, ({ grouped }: ReadHistory) => {
          const statement = at(grouped.statements, place);
          if (statement !== undefined) grouped.end(statement, end);
        }),
      ),
    ),
    timePasses<ReadHistory>(),
  ],
  { maxCommands: 60, size: "max" },
);

function atCall(
  what: string,
  isMeant: (call: TestCall) => boolean,
  change: (call: TestCall) => void,
): fc.Arbitrary<fc.AsyncCommand<object, CallHistory>> {
  return anyPlace.map((place) =>
    step(`call ${place} ${what}`, ({ grouped }: CallHistory) => {
      const call = at(grouped.calls.filter(isMeant), place);
      if (call !== undefined) change(call);
    }),
  );
}

function isEncoding({ waitsSince, isSettled }: TestCall): boolean {
  return waitsSince === undefined && !isSettled;
}

function timePasses<Real extends History>(): fc.Arbitrary<fc.AsyncCommand<object, Real>> {
  return fc.constantFrom(30, 100, 3_000).map((ms) =>
    step(`${ms} ms pass`, ({ time }: Real) => {
      time.pass(ms);
    }),
  );
}

function step<Real extends History>(
  name: string,
  run: (history: Real) => void,
): fc.AsyncCommand<object, Real> {
  return {
    check: () => true,
    run: async (_model, history) => {
      run(history);
      await history.grouped.settle();
    },
    toString: () => name,
  };
}

function at<Item>(items: readonly Item[], place: number): Item | undefined {
  return items[place % Math.max(items.length, 1)];
}

function repeated<Item>(length: number, create: () => Item): Item[] {
  return Array.from({ length }, create);
}
