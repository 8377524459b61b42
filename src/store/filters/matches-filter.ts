import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import { compareHeldNumber, compareHeldText, isHeldObject, unitsOf } from "./compare-held.js";
import type { Condition } from "./filter.js";

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
export function compileFilter(condition: Condition): CompiledFilter {
  const operands: (string | readonly string[])[] = [];
  const shape = shapeOf(condition, operands);
  return { shape, params: Object.fromEntries(operands.map((operand, nth) => [`filter${nth}`, operand])) };
}

function shapeOf(condition: Condition, operands: (string | readonly string[])[]): FilterShape {
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
export type NextOperand = () => RawBuilder<unknown>;

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
