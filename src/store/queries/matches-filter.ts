import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import { jsonTextOf } from "../../serde/json/json-text.js";
import { constructorRecord } from "../../serde/json/records.js";

/**
 * A parsed condition on the value of an item. Each key is one of the value's own keys, as it is stored. JSON texts are what the column
 * is compared with.
 */
export type ItemCondition =
  | { readonly kind: "all" | "any"; readonly conditions: readonly ItemCondition[] }
  | { readonly kind: "not"; readonly condition: ItemCondition }
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
      readonly operator: FilterComparison;
      readonly operand: string | number | bigint;
    };

export type FilterComparison = ">" | ">=" | "<" | "<=";

/** The structure of a condition, without its operands: conditions of the same structure share a statement. */
export type FilterShape =
  | { readonly kind: "all" | "any"; readonly shapes: readonly FilterShape[] }
  | { readonly kind: "not"; readonly shape: FilterShape }
  | { readonly kind: "contains" | "oneOf" | "has" | "equals" | "isObject" }
  | { readonly kind: "compare"; readonly operator: string; readonly isText: boolean };

/** The operands of a condition, by the names of their parameters. */
export type FilterParams = Readonly<Record<`filter${number}`, string | readonly string[]>>;

/** A condition as the structure of a statement, and its parameters. */
export interface CompiledFilter {
  readonly shape: FilterShape;
  readonly params: FilterParams;
}

/** Separates a condition into the structure of a statement and its parameters. */
export function compileFilter(condition: ItemCondition): CompiledFilter {
  const operands: (string | readonly string[])[] = [];
  const shape = shapeOf(condition, operands);
  return { shape, params: Object.fromEntries(operands.map((operand, nth) => [`filter${nth}`, operand])) };
}

function shapeOf(condition: ItemCondition, operands: (string | readonly string[])[]): FilterShape {
  switch (condition.kind) {
    case "all":
    case "any":
      return {
        kind: condition.kind,
        shapes: condition.conditions.map((inner) => shapeOf(inner, operands)),
      };
    case "not":
      return { kind: "not", shape: shapeOf(condition.condition, operands) };
    case "contains":
      operands.push(condition.json);
      return { kind: "contains" };
    case "oneOf":
      operands.push(condition.jsons);
      return { kind: "oneOf" };
    case "has":
    case "isObject":
      operands.push(condition.path);
      return { kind: condition.kind };
    case "equals":
      operands.push(condition.path, condition.json);
      return { kind: "equals" };
    case "compare": {
      const { key, operator, operand } = condition;
      const isText = typeof operand === "string";
      operands.push(key, String(operand), ...(isText ? [unitsOf(operand)] : []));
      return { kind: "compare", operator, isText };
    }
  }
}

/** Returns the parameter of the next operand, in the order of {@link compileFilter}. */
type NextOperand = () => RawBuilder<unknown>;

/**
 * An expression for whether a value fulfils a condition. It is never null, so that `not` is its opposite, and it never fails, whatever
 * the value holds.
 */
export function matchesFilter(
  value: Expression<unknown>,
  shape: FilterShape,
  next: NextOperand,
): RawBuilder<SqlBool> {
  switch (shape.kind) {
    case "all":
      return combined(value, shape.shapes, next, sql` and `, true);
    case "any":
      return combined(value, shape.shapes, next, sql` or `, false);
    case "not":
      return sql<SqlBool>`not ${matchesFilter(value, shape.shape, next)}`;
    case "contains":
      return sql<SqlBool>`${value} @> ${next()}::jsonb`;
    case "oneOf":
      return sql<SqlBool>`${value} @> any (${next()}::text[]::jsonb[])`;
    case "has":
      return sql<SqlBool>`(${value} #> ${next()}::text[]) is not null`;
    case "isObject":
      return isHeldObject(sql`(${value} #> ${next()}::text[])`);
    case "equals":
      return sql<SqlBool>`(${value} #> ${next()}::text[]) is not distinct from ${next()}::jsonb`;
    case "compare": {
      const held = sql`(${value} -> ${next()}::text)`;
      const operator = sql.raw(shape.operator);
      return shape.isText
        ? compareHeldText(held, operator, next(), next())
        : compareHeldNumber(held, operator, next());
    }
  }
}

function combined(
  value: Expression<unknown>,
  shapes: readonly FilterShape[],
  next: NextOperand,
  operator: RawBuilder<unknown>,
  empty: boolean,
): RawBuilder<SqlBool> {
  if (shapes.length === 0) return sql<SqlBool>`${sql.lit(empty)}`;
  return sql<SqlBool>`(${sql.join(
    shapes.map((shape) => matchesFilter(value, shape, next)),
    operator,
  )})`;
}

const FIRST_ARGUMENT = sql.lit("{args,0}");

/**
 * Compares a held value with a number. JSON lacks some numbers, which are held as records of their digits: small BigInts and infinities.
 * Any other value is never true, NaN too.
 *
 * @param held - The value, as JSONB.
 * @param operator - One of SQL's.
 */
function compareHeldNumber(
  held: RawBuilder<unknown>,
  operator: RawBuilder<unknown>,
  operand: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const digits = sql`(${held} #>> ${FIRST_ARGUMENT})`;
  // Longer integers are held as numbers of JSON. Postgres repeats at most 255 times.
  const isNumber = sql`${isRecord(held, "BigInt", "Number")} and ${digits} ~ '^-?([0-9]{1,200}[0-9]{0,200}|Infinity)$'`;
  return sql<SqlBool>`(case jsonb_typeof(${held}) when 'number' then (${held})::numeric ${operator} ${operand}::numeric when 'object' then (case when ${isNumber} then ${digits}::numeric ${operator} ${operand}::numeric else false end) else false end)`;
}

/**
 * Compares a held value with a text, by code points. JSONB can't hold U+0000 and lone surrogates: texts with these are held as records of
 * UTF-16 code units, and compare by them.
 *
 * @param units - The code units of the text, as an array of integers.
 */
function compareHeldText(
  held: RawBuilder<unknown>,
  operator: RawBuilder<unknown>,
  operand: RawBuilder<unknown>,
  units: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const list = sql`(${held} #>> ${FIRST_ARGUMENT})`;
  const isText = sql`${isRecord(held, "String")} and ${list} ~ '^\\[([0-9]{1,5}(, )?)*\\]$'`;
  const heldUnits = sql`string_to_array(translate(${list}, '[] ', ''), ',')::int[]`;
  return sql<SqlBool>`(case jsonb_typeof(${held}) when 'string' then (${held} #>> '{}') collate "C" ${operator} ${operand}::text when 'object' then (case when ${isText} then ${heldUnits} ${operator} ${units}::int[] else false end) else false end)`;
}

/** Whether a held value is an object. A text or a number that JSON lacks is held as one, and is none. */
function isHeldObject(held: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const isScalar = sql`${isRecord(held, "BigInt", "Number", "String")}`;
  return sql<SqlBool>`(case jsonb_typeof(${held}) when 'object' then not ${isScalar} else false end)`;
}

/** The code units of a text, as Postgres reads an array of integers. */
function unitsOf(text: string): string {
  return `{${Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).join()}}`;
}

/** Whether an object is a record of one of these names, whatever its arguments are. Data in the shape of one has a key more. */
function isRecord(held: RawBuilder<unknown>, ...names: readonly string[]): RawBuilder<SqlBool> {
  const records = names.map((name) => {
    const { args: _, ...others } = constructorRecord(name, []);
    return sql`${sql.lit(jsonTextOf(others))}::jsonb`;
  });
  return sql<SqlBool>`(${held} - 'args'::text) in (${sql.join(records)})`;
}
