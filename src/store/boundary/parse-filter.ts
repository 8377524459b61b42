import { types } from "node:util";
import { InvalidConfigError } from "../../errors/index.js";
import { guardRead, isPlainObject } from "../../serde/objects/inspect-object.js";
import { isJsonbText } from "../../serde/json/scalars.js";
import { escapeKey } from "../../serde/json/escaped-keys.js";
import { constructorRecord } from "../../serde/json/records.js";
import { itemData, operandText } from "../item-codec.js";
import type { FilterComparison, ItemCondition } from "../queries/matches-filter.js";

const COMPARISONS: Readonly<Record<string, FilterComparison>> = {
  $gt: ">",
  $gte: ">=",
  $lt: "<",
  $lte: "<=",
};

/** Up to so many values of `$in` are conditions of their own, which the index of values finds. It can't search for a list. */
const MOST_ALTERNATIVES = 32;

/** The keys of a record. */
const ANY_RECORD = constructorRecord("", []);

/** A condition that holds for every item. */
const ALWAYS: ItemCondition = { kind: "all", conditions: [] };

/** The keys of a value that are stored in clear text. `undefined`: all of them. */
type VisibleKeys = ReadonlySet<string> | undefined;

/**
 * Parses a filter. Each of its keys is a condition on that key of the value: a value that it equals, or an object of operators. The
 * keys `$and`, `$or` and `$not` combine filters. An operand is compared as what a value is stored as.
 *
 * @param visible - The keys that a condition may name.
 * @throws InvalidConfigError naming an unknown operator, an operand of the wrong type, or an encrypted key. Without it the filter would
 *   match other items.
 * @throws SerializationError naming the path of a part that can't be stored, so that no item could match.
 */
export function parseItemFilter(filter: unknown, visible?: VisibleKeys, path = "filter"): ItemCondition {
  if (filter === undefined) return ALWAYS;
  return guardRead(
    () => {
      // First, since it refuses cycles.
      itemData(filter, path);
      return parseWhole(filter, visible, path);
    },
    {},
    path,
  );
}

function parseWhole(filter: unknown, visible: VisibleKeys, path: string): ItemCondition {
  const conditions = entriesOf(filter, path).map(([key, operand]) => {
    const place = `${path}.${key}`;
    switch (key) {
      case "$and":
        return { kind: "all", conditions: parseList(operand, visible, place) } satisfies ItemCondition;
      case "$or":
        return { kind: "any", conditions: parseList(operand, visible, place) } satisfies ItemCondition;
      case "$not":
        return { kind: "not", condition: parseWhole(operand, visible, place) } satisfies ItemCondition;
      default:
        if (key.startsWith("$")) throw unknownOperator(place, key);
        return parseKey(checkedKey(key, visible, path), operand, place);
    }
  });
  return all(conditions);
}

function parseList(operand: unknown, visible: VisibleKeys, path: string): ItemCondition[] {
  if (!Array.isArray(operand)) throw new InvalidConfigError(path, "must be an array of filters");
  return operand.map((filter: unknown, index) => parseWhole(filter, visible, `${path}.${index}`));
}

/** Parses the condition on one key. */
function parseKey(key: string, operand: unknown, path: string): ItemCondition {
  if (operand === undefined) return lacks([key]);
  if (!isOperators(operand, path)) return contains(key, operand, path);
  return all(
    Object.entries(operand).map(([operator, inner]) =>
      parseOperator(key, operator, inner, `${path}.${operator}`),
    ),
  );
}

function parseOperator(key: string, operator: string, operand: unknown, path: string): ItemCondition {
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) {
    return {
      kind: "compare",
      key: escapeKey(key),
      operator: comparison,
      operand: parseCompared(operand, path),
    };
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
      return operand ? has([key]) : lacks([key]);
    case "$not":
      return { kind: "not", condition: parseKey(key, operand, path) };
    default:
      throw unknownOperator(path, operator);
  }
}

/** Parses the operand of a comparison. A Date is compared as the text that it is stored as. */
function parseCompared(operand: unknown, path: string): string | number | bigint {
  const data = itemData(operand, path);
  if (typeof data === "bigint" || isFiniteNumber(data)) return data;
  // The texts of other years begin with a sign, and don't sort by time.
  if (typeof data !== "string" || (types.isDate(operand) && !/^\d/.test(data))) {
    throw new InvalidConfigError(path, "must be a number, a text or a Date of the years 0 to 9999");
  }
  if (!isJsonbText(data)) throw new InvalidConfigError(path, "must not contain U+0000 or a lone surrogate");
  return data;
}

/** The condition of a plain operand: the value contains an object, and equals any other operand. */
function contains(key: string, operand: unknown, path: string): ItemCondition {
  const data = itemData(operand, path);
  if (!isPlain(data)) return equals(key, operand, path);
  const contained: ItemCondition = { kind: "contains", json: entryText(key, operandText(data, path)) };
  return all([contained, ...exactParts(data, [key], path), ...absentKeys(operand, [key])]);
}

/**
 * Yields conditions for what containment alone would take for a part of another value. An object with few keys is contained in the record
 * of a text, and the lists in a record are contained in those of another.
 */
function* exactParts(data: object, keys: readonly string[], path: string): Generator<ItemCondition> {
  const mayBeInRecord = Object.keys(data).every((key) => Object.hasOwn(ANY_RECORD, key));
  if (mayBeInRecord) yield { kind: "isObject", path: keys.map(escapeKey) };
  for (const [key, inner] of Object.entries(data)) {
    const place = [...keys, key];
    if (isPlain(inner)) yield* exactParts(inner, place, path);
    else if (!Array.isArray(inner)) {
      const json = operandText(inner, path);
      if (!isScalar(json)) yield { kind: "equals", path: place.map(escapeKey), json };
    }
  }
}

/** Yields conditions for the keys that are undefined in an object. A stored object does not have them. */
function* absentKeys(operand: unknown, keys: readonly string[]): Generator<ItemCondition> {
  if (!isPlain(operand)) return;
  for (const [key, inner] of Object.entries(operand)) {
    if (inner === undefined) yield lacks([...keys, key]);
    else yield* absentKeys(inner, [...keys, key]);
  }
}

function has(keys: readonly string[]): ItemCondition {
  return { kind: "has", path: keys.map(escapeKey) };
}

function lacks(keys: readonly string[]): ItemCondition {
  return { kind: "not", condition: has(keys) };
}

function equals(key: string, operand: unknown, path: string): ItemCondition {
  if (operand === undefined) throw new InvalidConfigError(path, "must not be undefined");
  const json = operandText(operand, path);
  const isContained: ItemCondition = { kind: "contains", json: entryText(key, json) };
  return isScalar(json) ? isContained : all([isContained, { kind: "equals", path: [escapeKey(key)], json }]);
}

function oneOf(key: string, operand: unknown, path: string): ItemCondition {
  if (!Array.isArray(operand)) throw new InvalidConfigError(path, "must be an array");
  const conditions = operand.map((item: unknown, index) => equals(key, item, `${path}.${index}`));
  const jsons = conditions.flatMap((condition) => (condition.kind === "contains" ? [condition.json] : []));
  return conditions.length > MOST_ALTERNATIVES && jsons.length === conditions.length
    ? { kind: "oneOf", jsons }
    : { kind: "any", conditions };
}

/** The JSON text of an object with one key, as a value with it is stored. */
function entryText(key: string, json: string): string {
  return `{${JSON.stringify(escapeKey(key))}:${json}}`;
}

/** Whether JSON text is neither an object nor an array, of which one that contains another may have more. */
function isScalar(json: string): boolean {
  return !/^[[{]/.test(json);
}

function all(conditions: readonly ItemCondition[]): ItemCondition {
  const [first] = conditions;
  return conditions.length === 1 && first !== undefined ? first : { kind: "all", conditions };
}

function isOperators(operand: unknown, path: string): operand is Record<string, unknown> {
  if (!isPlain(operand)) return false;
  const keys = Object.keys(operand);
  const operators = keys.filter((key) => key.startsWith("$"));
  if (operators.length === 0) return false;
  if (operators.length < keys.length) {
    throw new InvalidConfigError(path, "must not mix operators with other keys");
  }
  return true;
}

function entriesOf(filter: unknown, path: string): [string, unknown][] {
  if (isPlain(filter)) return Object.entries(filter);
  throw new InvalidConfigError(path, "must be a plain object");
}

function checkedKey(key: string, visible: VisibleKeys, path: string): string {
  if (visible?.has(key) === false) {
    throw new InvalidConfigError(
      `${path}.${key}`,
      "is encrypted: a filter finds only the keys in `visibleKeys`",
    );
  }
  return key;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && isPlainObject(value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function unknownOperator(path: string, operator: string): InvalidConfigError {
  return new InvalidConfigError(path, `unknown operator ${operator}`);
}
