import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** Selects the type tags of the values of a thread, each once. */
export async function selectTypes(call: CallContext, threadId: string): Promise<string[]> {
  const rows = await runStatement(call, types, { threadId });
  return rows.map(({ type }) => type);
}

const types = /* @__PURE__ */ new Statement<{ readonly threadId: string }, { type: string }>(
  (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs")
      .where("thread_id", "=", parameter("threadId"))
      .select("type")
      .distinct()
      .orderBy("type"),
);
