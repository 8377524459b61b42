import type { QueryConfig } from "pg";
import type { BoundStatement } from "./statement.js";
import { toBinaryArray } from "./to-binary-array.js";

/** How many bytes the statements of a transaction may bring to be sent at once: they are in memory several times meanwhile. */
const MAX_BYTES_TOGETHER = 2 * 2 ** 20;

/** Whether both sides can take all of it in without waiting for the other. */
export function isLittle(statements: readonly BoundStatement<unknown>[]): boolean {
  return sum(statements.map(({ parameters }) => bytesOf(parameters))) <= MAX_BYTES_TOGETHER;
}

/** About how long a parameter is: of text the characters. */
function bytesOf(parameter: unknown): number {
  if (typeof parameter === "string") return parameter.length;
  if (parameter instanceof Uint8Array) return parameter.byteLength;
  return Array.isArray(parameter) ? sum(parameter.map(bytesOf)) : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A statement as pg takes it, not prepared. */
export function toQuery({ sql, parameters }: BoundStatement<unknown>): QueryConfig {
  return { text: sql, values: parameters.map(toBinaryArray) };
}

/** A statement as pg takes it, prepared under its name. */
export function toNamedQuery(statement: BoundStatement<unknown>): QueryConfig {
  return { name: statement.name, ...toQuery(statement) };
}
