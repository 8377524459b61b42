import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/**
 * Sends a statement that Postgres must not compile: one that reads the index entries of all threads seems to be worth it, and then takes
 * several times as long.
 */
export async function runUncompiled<Params extends object, Row>(
  call: CallContext,
  statement: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  const [rows = []] = await runTransaction(call, {
    guard: [{ statement: withoutJit.bind(call.schema, {}) }],
    statements: [statement.bind(call.schema, params)],
  });
  return rows;
}

const withoutJit = new Statement<object, { readonly jit: string }>((db) =>
  db.selectNoFrom([sql<string>`set_config('jit', 'off', true)`.as("jit")]),
);
