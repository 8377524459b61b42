import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Statement } from "../../db/statements/statement.js";

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
