import type { CallContext } from "./call-context.js";
import { readOnlyError, whyReadOnly } from "./statements/read-only.js";
import { runStatement } from "./statements/run-statement.js";

/**
 * Refuses a call that would do much before its first write.
 *
 * @throws ReadOnlyError where the server takes no writes from this connection.
 */
export async function refuseReadOnly(call: CallContext): Promise<void> {
  const [state] = await runStatement(call, whyReadOnly, {});
  if (state?.read_only === "on") throw readOnlyError(state, undefined);
}
