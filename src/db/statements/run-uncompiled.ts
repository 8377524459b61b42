import type { CallContext } from "../call-context.js";
import { runStatement } from "./run-statement.js";
import type { Statement } from "./statement.js";

/**
 * Sends a statement that Postgres must not compile: one that reads the index entries of all threads seems to be worth it, and then takes
 * several times as long.
 */
export function runUncompiled<Params extends object, Row>(
  call: CallContext,
  statement: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  return runStatement({ ...call, withoutJit: true }, statement, params);
}
