import { isDeepStrictEqual } from "node:util";

type Json = Readonly<Record<string, unknown>>;

/** Whether a value fulfils a filter, as the documentation says it: without SQL, and one condition after the other. */
export function matches(value: Json, filter: Json): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    switch (key) {
      case "$and":
        return (condition as Json[]).every((inner) => matches(value, inner));
      case "$or":
        return (condition as Json[]).some((inner) => matches(value, inner));
      case "$not":
        return !matches(value, condition as Json);
      default:
        return fulfils(Object.hasOwn(value, key), value[key], condition);
    }
  });
}

function fulfils(isThere: boolean, held: unknown, condition: unknown): boolean {
  if (condition === undefined) return !isThere;
  if (!isObject(condition)) return isThere && isDeepStrictEqual(held, condition);
  const operators = Object.entries(condition).filter(([name]) => name.startsWith("$"));
  if (operators.length === 0) return isThere && contains(held, condition);
  return operators.every(([name, operand]) => fulfilsOperator(isThere, held, name, operand));
}

function fulfilsOperator(isThere: boolean, held: unknown, name: string, operand: unknown): boolean {
  const equals = (other: unknown) => isThere && isDeepStrictEqual(held, other);
  switch (name) {
    case "$eq":
      return equals(operand);
    case "$ne":
      return !equals(operand);
    case "$in":
      return (operand as unknown[]).some(equals);
    case "$nin":
      return !(operand as unknown[]).some(equals);
    case "$exists":
      return isThere === operand;
    case "$not":
      return !fulfils(isThere, held, operand);
    case "$gt":
      return compared(held, operand, (sign) => sign > 0);
    case "$gte":
      return compared(held, operand, (sign) => sign >= 0);
    case "$lt":
      return compared(held, operand, (sign) => sign < 0);
    case "$lte":
      return compared(held, operand, (sign) => sign <= 0);
    default:
      throw new Error(`the model does not know ${name}`);
  }
}

/** Only values of the same type compare. */
function compared(held: unknown, operand: unknown, holds: (sign: number) => boolean): boolean {
  if (isNumber(held) && isNumber(operand)) return !Number.isNaN(held) && holds(order(held, operand));
  if (typeof held === "string" && typeof operand === "string") return holds(bytewise(held, operand));
  return false;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function order(one: number | bigint, other: number | bigint): number {
  // A BigInt never is a number, but neither may be less.
  return Number(one > other) - Number(one < other);
}

/** The order of texts in UTF-8, which is that of code points. */
export function bytewise(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function contains(held: unknown, part: Json): boolean {
  return (
    isObject(held) &&
    Object.entries(part).every(
      ([key, inner]) =>
        Object.hasOwn(held, key) &&
        (isObject(inner) ? contains(held[key], inner) : isDeepStrictEqual(held[key], inner)),
    )
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
