/**
 * A parsed condition on the value of an item. Each key is one of the value's own keys, as it is stored. JSON texts are what the column
 * is compared with.
 */
export type Condition =
  | { readonly kind: "all" | "any"; readonly conditions: readonly Condition[] }
  | { readonly kind: "not"; readonly condition: Condition }
  /** The value contains this JSON object. */
  | { readonly kind: "contains"; readonly json: string }
  /** The value holds exactly this JSON value at this path of keys. Together with `contains`, which an index serves. */
  | { readonly kind: "equals"; readonly path: readonly string[]; readonly json: string }
  /** The value holds an object at this path of keys, and not the record of a text or a number. */
  | { readonly kind: "isObject"; readonly path: readonly string[] }
  | { readonly kind: "oneOf"; readonly jsons: readonly string[] }
  /** The value has a key at this path of keys. */
  | { readonly kind: "has"; readonly path: readonly string[] }
  /** The key holds a number or a text that compares so. Values of other types never do. */
  | {
      readonly kind: "compare";
      readonly key: string;
      readonly operator: Comparison;
      readonly operand: string | number | bigint;
    };

export type Comparison = ">" | ">=" | "<" | "<=";
