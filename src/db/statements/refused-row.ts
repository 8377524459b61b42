import { PermissionError } from "../../errors/index.js";
import type { CallContext } from "../call-context.js";
import { TENANT_SETTING } from "../tenant.js";

/** The function of Postgres that compares a new row with the policies. The SQLSTATE is also that of a missing privilege. */
const POLICY_CHECK = "ExecWithCheckOptions";

/** What belongs to a tenant, by the first of the call's optional tables. */
const OWNED: ReadonlyMap<string | undefined, (tenant: string) => string> = new Map([
  [undefined, (tenant: string) => `threads whose ids begin with ${JSON.stringify(`${tenant}:`)}`],
  ["store", (tenant: string) => `namespaces whose first label is ${JSON.stringify(tenant)}`],
  ["cache", (tenant: string) => `entries whose namespaces begin with ${JSON.stringify(`${tenant}:`)}`],
]);

/**
 * Explains that row-level security has refused a row: which rows the tenant may write, and which one the call was to write. Other errors
 * are returned as they are.
 */
export function explainRefusedRow(error: unknown, call: CallContext): unknown {
  if (!(error instanceof PermissionError) || !isOfPolicy(error.cause)) return error;
  const { optionalTables = [], policy, written } = call;
  const owned = OWNED.get(optionalTables[0]);
  // A statement within a transaction has explained it.
  if (owned === undefined || error.message.startsWith(REFUSAL)) return error;
  const { tenantId } = policy;
  const rows = written?.() ?? [];
  const { name = "a row", threadId } = rows.find(({ tenant }) => tenant !== tenantId) ?? rows[0] ?? {};
  const rule =
    tenantId === undefined
      ? `the call has no tenantId, and a tenant may only write ${owned("<tenantId>")}`
      : `the tenant ${JSON.stringify(tenantId)} may only write ${owned(tenantId)}`;
  return new PermissionError(
    `${REFUSAL} ${name}: ${rule} (docs/tenants.md, the setting ${TENANT_SETTING}): ${error.message}`,
    { cause: error.cause, sqlState: error.sqlState, threadId },
  );
}

const REFUSAL = "row-level security refuses";

function isOfPolicy(cause: unknown): boolean {
  return cause instanceof Error && "routine" in cause && cause.routine === POLICY_CHECK;
}
