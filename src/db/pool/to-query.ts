import type { BoundStatement } from "../statements/statement.js";
import { type QueryParameter, toParameter } from "./to-parameter.js";

/** How many bytes of parameters are sent at once. They are in memory several times meanwhile. */
const MAX_BYTES_TOGETHER = 2 * 2 ** 20;

/**
 * Whether the statements are small enough to send at once, so that neither side has to wait for the other to
 * read.
 */
export function areSmall(statements: readonly BoundStatement<unknown>[]): boolean {
  return sum(statements.map(({ parameters }) => bytesOf(parameters))) <= MAX_BYTES_TOGETHER;
}

/** The approximate size of a parameter. For text it is the number of characters. */
function bytesOf(parameter: unknown): number {
  if (typeof parameter === "string") return parameter.length;
  if (parameter instanceof Uint8Array) return parameter.byteLength;
  return Array.isArray(parameter) ? sum(parameter.map(bytesOf)) : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A query to send, with its parameters as they are sent. */
export interface Query {
  /** Absent for a query that is not prepared. */
  readonly name?: string;
  readonly text: string;
  /** pg takes no readonly array. */
  readonly values: QueryParameter[];
  /** Called with its rows once the server has executed it, also where a later query of the round trip fails. */
  readonly onRows?: (rows: readonly unknown[]) => void;
}

/** The query of a statement, not prepared. */
export function toQuery({ sql, parameters, types = [] }: BoundStatement<unknown>): Query {
  const values: QueryParameter[] = [];
  for (const [index, value] of parameters.entries()) values.push(toParameter(value, types[index]));
  return { text: sql, values };
}

/** The query of a statement, prepared under its name. */
export function toNamedQuery(statement: BoundStatement<unknown>): Query {
  return { name: statement.name, ...toQuery(statement) };
}
