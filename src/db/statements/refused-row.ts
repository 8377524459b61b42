import { PermissionError } from "../../errors/index.js";
import { describeWithoutPolicy, type CallContext } from "../call-context.js";
import { TABLES_OF_TENANTS, TENANT_SETTING } from "../tenant.js";

/** The function of Postgres that compares a new row with the policies. The SQLSTATE is also that of a missing privilege. */
const POLICY_CHECK = "ExecWithCheckOptions";

/** The tables with rows of tenants, and what belongs to a tenant. */
interface Owned {
  readonly tables: readonly string[];
  readonly rowsOf: (tenant: string) => string;
}

const ofThreads: Owned = {
  tables: TABLES_OF_TENANTS,
  rowsOf: (tenant) => `threads whose ids begin with ${JSON.stringify(`${tenant}:`)}`,
};

/** By the first of the call's optional tables. */
const OWNED: ReadonlyMap<string | undefined, Owned> = new Map<string | undefined, Owned>([
  [undefined, ofThreads],
  ["conversations", ofThreads],
  [
    "store",
    {
      tables: ["store", "store_vectors"],
      rowsOf: (tenant: string) => `namespaces whose first label is ${JSON.stringify(tenant)}`,
    },
  ],
  [
    "cache",
    {
      tables: ["cache_entries"],
      rowsOf: (tenant: string) => `entries whose namespaces begin with ${JSON.stringify(`${tenant}:`)}`,
    },
  ],
]);

/**
 * Explains that row-level security has refused a row: that there is no policy, or which rows the tenant may write, and which one the call
 * was to write. Other errors are returned as they are.
 */
export async function explainRefusedRow(error: unknown, call: CallContext): Promise<unknown> {
  if (!(error instanceof PermissionError) || !isOfPolicy(error.cause)) return error;
  const { optionalTables = [], policy, written } = call;
  const owned = OWNED.get(optionalTables[0]);
  // A statement within a transaction has explained it.
  if (owned === undefined || error.message.startsWith(REFUSAL)) return error;
  const hidden = await withoutPolicy(call, owned.tables);
  if (hidden.length > 0) {
    return new PermissionError(`${REFUSAL} a row: ${describeWithoutPolicy(hidden)}: ${error.message}`, {
      cause: error.cause,
      sqlState: error.sqlState,
    });
  }
  const { tenantId } = policy;
  const rows = written?.() ?? [];
  const { name = "a row", threadId } = rows.find(({ tenant }) => tenant !== tenantId) ?? rows[0] ?? {};
  const rule =
    tenantId === undefined
      ? `the call has no tenantId, and a tenant may only write ${owned.rowsOf("<tenantId>")}`
      : `the tenant ${JSON.stringify(tenantId)} may only write ${owned.rowsOf(tenantId)}`;
  return new PermissionError(
    `${REFUSAL} ${name}: ${rule} (docs/tenants.md, the setting ${TENANT_SETTING}): ${error.message}`,
    { cause: error.cause, sqlState: error.sqlState, threadId },
  );
}

/** It serves an error message: where the catalog can't be read, as in a transaction that the refusal has ended, there are none. */
async function withoutPolicy(call: CallContext, tables: readonly string[]): Promise<string[]> {
  if (call.database.kysely.isTransaction) return [];
  try {
    // Loaded only here: most services never need it.
    const { tablesWithoutPolicy } = await import("../row-security.js");
    return await tablesWithoutPolicy(call, tables);
  } catch {
    return [];
  }
}

const REFUSAL = "row-level security refuses";

function isOfPolicy(cause: unknown): boolean {
  return cause instanceof Error && "routine" in cause && cause.routine === POLICY_CHECK;
}
