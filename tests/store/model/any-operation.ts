import type { Operation } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";

/** Few, so that operations meet the same items, and alike, so that a comparison of texts takes one for another. */
const label = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "ab") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("a!", "a-b", "A", "a%", "a_", "a\\", "é", "*", "x:y", "a/", "a\n"),
  },
);
const namespace = fc.array(label, { minLength: 1, maxLength: 3, size: "max" });
const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("k", "l") },
  { weight: 1, arbitrary: fc.constantFrom("K", "k%", "", "é😀", "k\n", "__proto__", "toString") },
);

const scalar = fc.constantFrom(
  null,
  true,
  false,
  0,
  5,
  -3,
  0.5,
  10,
  1e20,
  "",
  "5",
  "abc",
  "true",
  "é",
  "😀",
  "\uffee",
);
const part: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom("b", "c"), scalar, { noNullPrototype: true }) },
);
const field = fc.oneof(
  { weight: 3, arbitrary: fc.constant("a") },
  { weight: 1, arbitrary: fc.constantFrom("b", "a.b", "it's") },
);
const value = fc.dictionary(field, part, { minKeys: 1, maxKeys: 3, noNullPrototype: true });

const comparable = fc.constantFrom<number | string>(0, 5, 0.5, "5", "abc", "é", "\uffee");
const operators: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ $eq: part }),
  fc.record({ $ne: part }),
  fc.record({ $in: fc.array(part, { maxLength: 3 }) }),
  fc.record({ $nin: fc.array(part, { maxLength: 3 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $gt: comparable }),
  fc.record({ $gte: comparable, $lt: comparable }),
  fc.record({ $lte: comparable, $ne: part }),
);
const condition = fc.oneof(
  part,
  fc.constant(undefined),
  operators,
  fc.record({ $not: fc.oneof(part, operators) }),
);
const conditions = fc.dictionary(field, condition, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
const { filter } = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
  filter: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    conditions,
    fc.record({ $or: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ $and: fc.array(tie("filter"), { maxLength: 3 }) }),
    fc.record({ $not: tie("filter") }),
  ),
}));

const page = { limit: fc.integer({ min: 0, max: 12 }), offset: fc.integer({ min: 0, max: 5 }) };
const matchCondition = fc.record({
  matchType: fc.constantFrom("prefix" as const, "suffix" as const),
  path: fc.array(fc.oneof(label, fc.constant("*")), { maxLength: 3 }),
});

/** Any operation of a batch. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ namespace, key, value }) },
  { weight: 1, arbitrary: fc.record({ namespace, key, value: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ namespace, key }) },
  {
    weight: 3,
    arbitrary: fc.record(
      { namespacePrefix: fc.array(label, { maxLength: 2 }), filter, ...page },
      { requiredKeys: ["namespacePrefix"] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        matchConditions: fc.array(matchCondition, { maxLength: 2 }),
        maxDepth: fc.integer({ min: 1, max: 3 }),
        ...page,
      },
      { requiredKeys: ["limit", "offset"] },
    ),
  },
);

/** Batches that run one after the other. */
export const batches = fc.array(fc.array(operation, { maxLength: 12, size: "max" }), {
  minLength: 1,
  maxLength: 8,
  size: "max",
});
