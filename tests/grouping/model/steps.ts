import fc from "fast-check";
import type { ManualTime } from "../../../test-support/manual-time.js";
import { STATEMENT_ENDS } from "./fake-statement.js";
import type { GroupedCalls } from "./grouped-calls.js";
import type { CallShape, TestCall } from "./test-call.js";

/** What the steps of a history change. */
export interface History {
  readonly grouped: GroupedCalls;
  readonly time: ManualTime;
}

/** The groups themselves know which calls may be made, so the steps need no model beside them. */
type Step = fc.AsyncCommand<object, History>;

const seldom = fc.constantFrom(true, false, false, false, false);

const anyCall: fc.Arbitrary<CallShape> = fc.record({
  threadId: fc.constantFrom("a", "b", "c", "d", "e", "f"),
  kind: fc.constantFrom("put", "put", "putWrites", "putWrites", "putWrites", "deleteThread"),
  isLarge: seldom,
  hasSignal: seldom,
});

const anyPlace = fc.nat(20);

/** A history of calls and statements: they arrive, become ready, are aborted, wait, end and fail in any order. */
export const anyHistory = fc.commands<object, History, false>(
  [
    ...repeated(4, () =>
      anyCall.map((shape) =>
        step(`a call ${JSON.stringify(shape)} arrives and is encoded`, ({ grouped }) => {
          grouped.arrive(shape).encode();
        }),
      ),
    ),
    ...repeated(2, () =>
      anyCall.map((shape) =>
        step(`a call ${JSON.stringify(shape)} arrives`, ({ grouped }) => {
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
        step(`of statement ${place}: ${end}`, ({ grouped }) => {
          const statement = at(grouped.statements, place);
          if (statement !== undefined) grouped.end(statement, end);
        }),
      ),
    ),
    ...repeated(2, () =>
      fc.constantFrom(30, 100, 1_000).map((ms) =>
        step(`${ms} ms pass`, ({ time }) => {
          time.pass(ms);
        }),
      ),
    ),
  ],
  { maxCommands: 60, size: "max" },
);

function atCall(
  what: string,
  isMeant: (call: TestCall) => boolean,
  change: (call: TestCall) => void,
): fc.Arbitrary<Step> {
  return anyPlace.map((place) =>
    step(`call ${place} ${what}`, ({ grouped }) => {
      const call = at(grouped.calls.filter(isMeant), place);
      if (call !== undefined) change(call);
    }),
  );
}

function isEncoding({ waitsSince, isSettled }: TestCall): boolean {
  return waitsSince === undefined && !isSettled;
}

function step(name: string, run: (history: History) => void): Step {
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
