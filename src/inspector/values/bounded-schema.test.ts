import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { runs } from "../../../test-support/runs.js";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { boundedSchema } from "./bounded-schema.js";

/** What an answer may cost the service. Not that of the code: a bound that grows there has to fail here. */
const MAX_PARTS = 2_000;

type Json = Readonly<Record<string, unknown>>;

/** References from each definition to the one before, `count` of them: expanded they are `width ** count` schemas. */
function nested(keyword: string, width: number, count: number): Json {
  const $defs: Record<string, unknown> = { d0: { type: "string" } };
  for (let at = 1; at <= count; at++)
    $defs[`d${at}`] = { [keyword]: Array.from({ length: width }, () => ({ $ref: `#/$defs/d${at - 1}` })) };
  return { $defs, $ref: `#/$defs/d${count}` };
}

/** Counts the parts of a value that whoever has it looks at. */
function counted(value: unknown): { readonly value: unknown; readonly looks: () => number } {
  let looks = 0;
  const watch = (part: unknown): unknown => {
    looks += 1;
    if (!isObject(part)) return part;
    return new Proxy(part, {
      get: (target, name, receiver) => {
        const found: unknown = Reflect.get(target, name, receiver);
        return typeof name === "string" && Object.hasOwn(target, name)
          ? watchItem(target, name, found)
          : found;
      },
      getOwnPropertyDescriptor: (target, name) => {
        const found = Reflect.getOwnPropertyDescriptor(target, name);
        return found === undefined || isArray(target) ? found : { ...found, value: watch(found.value) };
      },
    });
  };
  const watchItem = (target: object, name: string, found: unknown): unknown =>
    isArray(target) && name === "length" ? found : watch(found);
  return { value: watch(value), looks: () => looks };
}

function partsOf(value: unknown): number {
  return isObject(value) ? Object.values(value).reduce<number>((sum, part) => sum + partsOf(part), 1) : 1;
}

const names = fc.constantFrom("a", "b", "__proto__");
const scalar = fc.constantFrom<unknown>("a", "ab", "b", 1, 2, true, null);
const data: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b", "c"), scalar, { maxKeys: 3 }),
);

/** Schemas of all keywords, with references to definitions that may have references to each other. */
const anySchema = fc.letrec<{ schema: unknown; list: unknown[] }>((tie) => ({
  list: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<unknown>(
      true,
      {},
      { type: "string" },
      { type: "number" },
      { const: "a" },
      { enum: ["a", 1] },
    ),
    fc.record({ $ref: fc.nat(4).map((at) => `#/$defs/d${at}`) }),
    fc.record({ type: fc.constant("string"), pattern: fc.constantFrom("^a", "b$") }),
    fc.record({ anyOf: tie("list") }),
    fc.record({ oneOf: tie("list") }),
    fc.record({ allOf: tie("list") }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record(
      {
        ...{ type: fc.constant("array"), contains: tie("schema"), maxContains: fc.nat(2) },
        ...{ minContains: fc.nat(1), uniqueItems: fc.boolean() },
      },
      { requiredKeys: ["type", "contains"] },
    ),
    fc.record(
      {
        ...{ type: fc.constant("object"), properties: fc.dictionary(names, tie("schema"), { maxKeys: 2 }) },
        ...{ additionalProperties: fc.constantFrom<unknown>(false, { type: "string" }) },
        ...{ patternProperties: fc.dictionary(fc.constantFrom("^a", "c"), tie("schema"), { maxKeys: 1 }) },
        ...{ propertyNames: tie("schema"), required: fc.constant(["a"]), title: fc.constant("t") },
      },
      { requiredKeys: ["type"] },
    ),
  ),
})).schema;

const rootSchema = fc
  .tuple(anySchema, fc.array(anySchema, { minLength: 5, maxLength: 5 }))
  .map(([schema, definitions]) => ({
    allOf: [schema],
    $defs: Object.fromEntries(definitions.map((each, at) => [`d${at}`, each])),
  }));

describe("boundedSchema", () => {
  it.each(["allOf", "anyOf", "oneOf", "prefixItems"])(
    "refuses references that are nested in pairs of %s",
    (keyword) => {
      expect(boundedSchema(nested(keyword, 2, 30))).toBeUndefined();
      expect(boundedSchema(nested(keyword, 2, 5))?.parts).toBeLessThan(MAX_PARTS);
    },
  );

  it.each<[string, unknown]>([
    ["no schema", 5],
    ["a schema that contains itself", { properties: { inner: { $ref: "#" } } }],
    [
      "definitions that contain each other",
      { ...nested("anyOf", 1, 2), $defs: { d2: { $ref: "#/$defs/d2" } } },
    ],
    ["a reference to elsewhere", { $ref: "https://example.org/schema.json" }],
    ["a reference to nothing", { $ref: "#/$defs/none" }],
    ["many choices", { enum: Array.from({ length: MAX_PARTS }, (_, at) => at) }],
    ["long texts", { enum: ["a".repeat(200_000)] }],
    ["a deep default", { default: Array.from({ length: 40 }).reduce((inner) => [inner], 1) }],
  ])("refuses %s", (_case, schema) => {
    expect(boundedSchema(schema)).toBeUndefined();
  });

  it("leaves out patterns, and what depends on them", () => {
    const named = { type: "string", pattern: "^(a+)+$" };
    const { schema } = boundedSchema({
      $defs: { "a/b": named },
      oneOf: [
        { $ref: "#/$defs/a~1b", title: "A" },
        { patternProperties: { a: {} }, additionalProperties: false },
      ],
      type: ["object", "object", "string"],
    }) ?? { schema: undefined };
    expect(schema).toEqual({ anyOf: [{ type: "string" }, {}], type: ["object", "string"] });
    const list = { contains: named, minContains: 1, maxContains: 2 };
    expect(boundedSchema(list)?.schema).toEqual({ contains: { type: "string" }, minContains: 1 });
  });

  it("looks at a bounded number of parts, whatever the schema", () => {
    const hostile = fc.oneof(
      rootSchema,
      fc
        .tuple(
          fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems", "items"),
          fc.integer({ min: 1, max: 300 }),
          fc.nat(40),
        )
        .map(([keyword, width, count]) => nested(keyword, width, count)),
      fc
        .nat(2_000)
        .map((depth) => Array.from({ length: depth }).reduce((inner) => ({ not: inner, items: inner }), {})),
    );
    fc.assert(
      fc.property(hostile, (given) => {
        const { value, looks } = counted(given);
        const bounded = boundedSchema(value);
        // A few looks at each part, and at those that lead to a definition.
        expect(looks()).toBeLessThan(10 * MAX_PARTS);
        if (bounded === undefined) return;
        expect(partsOf(bounded.schema)).toBeLessThanOrEqual(MAX_PARTS);
        expect(JSON.stringify(bounded.schema)).not.toMatch(/"\$ref"|"pattern"|"patternProperties"/);
      }),
      runs(300),
    );
  });

  it("accepts whatever the schema does", () => {
    fc.assert(
      fc.property(rootSchema, fc.array(data, { minLength: 5, maxLength: 5 }), (schema, values) => {
        const bounded = boundedSchema(schema);
        const [given, copy] = [converted(schema), converted(bounded?.schema)];
        if (given === undefined || copy === undefined) return;
        const isAccepted = (by: z.ZodType, value: unknown): boolean => {
          try {
            return by.safeParse(value).success;
          } catch {
            // The results of a conjunction can't be merged.
            return false;
          }
        };
        for (const value of values) {
          if (isAccepted(given, value)) expect([value, isAccepted(copy, value)]).toEqual([value, true]);
        }
      }),
      runs(300),
    );
  });
});

function converted(schema: Json | undefined): z.ZodType | undefined {
  try {
    return schema && z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}
