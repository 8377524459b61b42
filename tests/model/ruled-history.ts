import fc from "fast-check";
import type { WriteRules } from "./write-rules.js";
import type { Source } from "../../test-support/put-from.js";

/** The thread and namespace of a call: only a few, so that calls affect each other. */
export interface RuledPlace {
  readonly thread: string;
  readonly ns: string;
}

/** A call that the write rules may refuse. */
export type RuledCall =
  | (RuledPlace & {
      readonly kind: "put";
      readonly id: string;
      readonly parent: string | undefined;
      readonly source: Source;
    })
  | (RuledPlace & { readonly kind: "putWrites"; readonly id: string })
  | { readonly kind: "deleteThread"; readonly thread: string };

/** A batch of calls, or a single call. */
export type RuledStep = readonly RuledCall[];

const IDS = ["10", "9", "B", "a", "é", "~"];

const id = fc.constantFrom(...IDS);
const thread = fc.oneof(
  { weight: 5, arbitrary: fc.constant("t1") },
  { weight: 1, arbitrary: fc.constant("t2") },
);
const ns = fc.oneof(
  { weight: 4, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.constant("child") },
);

const call: fc.Arbitrary<RuledCall> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      thread,
      ns,
      id,
      parent: fc.option(id, { nil: undefined, freq: 3 }),
      source: fc.constantFrom<Source>("loop", "loop", "loop", "input", "fork", "update"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("putWrites" as const), thread, ns, id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deleteThread" as const), thread }) },
);

export const ruledSteps: fc.Arbitrary<readonly RuledStep[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: call.map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(call, { minLength: 2, maxLength: 4 }) },
  ),
  { maxLength: 25, size: "max" },
);

export const rules: fc.Arbitrary<WriteRules> = fc.constantFrom<WriteRules>(
  { concurrency: "optimistic", keepTombstones: false },
  { concurrency: "unchecked", keepTombstones: true },
  { concurrency: "optimistic", keepTombstones: true },
);
