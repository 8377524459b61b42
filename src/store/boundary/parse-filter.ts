import { InvalidConfigError } from "../../errors/index.js";
import { guardRead } from "../../serde/guard-read.js";
import { encodeJsonb } from "../../serde/jsonb/encode-jsonb.js";
import { isPlainObject } from "../../serde/plain-object.js";
import type { Comparison, Condition } from "../filters/filter.js";

const COMPARISONS: Readonly<Record<string, Comparison>> = { $gt: ">", $gte: ">=", $lt: "<", $lte: "<=" };

/** Up to so many values of `$in` are conditions of their own, which the index of values finds. It can't search for a list. */
const MOST_ALTERNATIVES = 32;

/** A condition that holds for every item. */
const ALWAYS: Condition = { kind: "all", conditions: [] };

/** The keys of a value that are stored in clear text. `undefined`: all of them. */
type VisibleKeys = ReadonlySet<string> | undefined;

/**
 * Parses a filter. Each of its keys is a condition on that key of the value: a value that it equals, or an object of operators. The
 * keys `$and`, `$or` and `$not` combine filters.
 *
 * @param visible - The keys that a condition may name.
 * @throws InvalidConfigError naming an unknown operator, an operand of the wrong type, or an encrypted key. Without it the filter would
 *   match other items.
 */
export function parseFilter(filter: unknown, visible?: VisibleKeys, path = "filter"): Condition {
  if (filter === undefined) return ALWAYS;
  return guardRead(() => parseWhole(filter, visible, path), {}, path);
}

function parseWhole(filter: unknown, visible: VisibleKeys, path: string): Condition {
  const conditions = entriesOf(filter, path).map(([key, operand]) => {
    const place = `${path}.${key}`;
    switch (key) {
      case "$and":
        return { kind: "all", conditions: parseList(operand, visible, place) } satisfies Condition;
      case "$or":
        return { kind: "any", conditions: parseList(operand, visible, place) } satisfies Condition;
      case "$not":
        return { kind: "not", condition: parseWhole(operand, visible, place) } satisfies Condition;
      default:
        if (key.startsWith("$")) throw unknownOperator(place, key);
        return parseKey(checkedKey(key, visible, path), operand, place);
    }
  });
  return all(conditions);
}

function parseList(operand: unknown, visible: VisibleKeys, path: string): Condition[] {
  if (!Array.isArray(operand)) throw new InvalidConfigError(path, "must be an array of filters");
  return operand.map((filter: unknown, index) => parseWhole(filter, visible, `${path}.${index}`));
}

/** Parses the condition on one key. */
function parseKey(key: string, operand: unknown, path: string): Condition {
  if (operand === undefined) return { kind: "not", condition: { kind: "has", key } };
  if (!isOperators(operand, path)) return contains(key, operand, path);
  return all(
    Object.entries(operand).map(([operator, inner]) =>
      parseOperator(key, operator, inner, `${path}.${operator}`),
    ),
  );
}

function parseOperator(key: string, operator: string, operand: unknown, path: string): Condition {
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) {
    if (typeof operand !== "string" && !isFiniteNumber(operand)) {
      throw new InvalidConfigError(path, "must be a number or a text");
    }
    return { kind: "compare", key, operator: comparison, operand: checkedText(operand, path) };
  }
  switch (operator) {
    case "$eq":
      return equals(key, operand, path);
    case "$ne":
      return { kind: "not", condition: equals(key, operand, path) };
    case "$in":
      return oneOf(key, operand, path);
    case "$nin":
      return { kind: "not", condition: oneOf(key, operand, path) };
    case "$exists":
      if (typeof operand !== "boolean") throw new InvalidConfigError(path, "must be a boolean");
      return operand ? { kind: "has", key } : { kind: "not", condition: { kind: "has", key } };
    case "$not":
      return { kind: "not", condition: parseKey(key, operand, path) };
    default:
      throw unknownOperator(path, operator);
  }
}

/** The condition of a plain operand: the value contains an object, and equals any other operand. */
function contains(key: string, operand: unknown, path: string): Condition {
  return Array.isArray(operand)
    ? equals(key, operand, path)
    : { kind: "contains", json: jsonOf({ [key]: operand }, path) };
}

function equals(key: string, operand: unknown, path: string): Condition {
  if (operand === undefined) throw new InvalidConfigError(path, "must not be undefined");
  const isContained: Condition = { kind: "contains", json: jsonOf({ [key]: operand }, path) };
  if (typeof operand !== "object" || operand === null) return isContained;
  return all([isContained, { kind: "equals", key, json: jsonOf(operand, path) }]);
}

function oneOf(key: string, operand: unknown, path: string): Condition {
  if (!Array.isArray(operand)) throw new InvalidConfigError(path, "must be an array");
  const items: readonly unknown[] = operand;
  if (items.length > MOST_ALTERNATIVES && items.every((item) => typeof item !== "object" || item === null)) {
    return { kind: "oneOf", jsons: items.map((item) => jsonOf({ [key]: item }, path)) };
  }
  return { kind: "any", conditions: items.map((item, index) => equals(key, item, `${path}.${index}`)) };
}

function all(conditions: readonly Condition[]): Condition {
  const [first] = conditions;
  return conditions.length === 1 && first !== undefined ? first : { kind: "all", conditions };
}

function isOperators(operand: unknown, path: string): operand is Record<string, unknown> {
  if (typeof operand !== "object" || operand === null || !isPlainObject(operand)) return false;
  const keys = Object.keys(operand);
  const operators = keys.filter((key) => key.startsWith("$"));
  if (operators.length === 0) return false;
  if (operators.length < keys.length) {
    throw new InvalidConfigError(path, "must not mix operators with other keys");
  }
  return true;
}

function entriesOf(filter: unknown, path: string): [string, unknown][] {
  if (typeof filter === "object" && filter !== null && isPlainObject(filter)) return Object.entries(filter);
  throw new InvalidConfigError(path, "must be a plain object");
}

function checkedKey(key: string, visible: VisibleKeys, path: string): string {
  if (visible?.has(key) === false) {
    throw new InvalidConfigError(
      `${path}.${key}`,
      "is encrypted: a filter finds only the keys in `visibleKeys`",
    );
  }
  return checkedText(key, path);
}

/** JSONB can't hold such text, so that no item would ever match. */
function checkedText<T>(value: T, path: string): T {
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
    throw new InvalidConfigError(path, "must not contain U+0000 or a lone surrogate");
  }
  return value;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function jsonOf(value: unknown, path: string): string {
  return JSON.stringify(encodeJsonb(value, path));
}

function unknownOperator(path: string, operator: string): InvalidConfigError {
  return new InvalidConfigError(path, `unknown operator ${operator}`);
}
