import type { CallContext } from "../../db/call-context.js";
import { RowSecurityCheck } from "../../db/row-security.js";
import { InvalidConfigError } from "../../errors/index.js";
import type { InspectorContext } from "../inspector-context.js";
import { readableColumns } from "../queries/catalog.js";

const TABLES = ["cache_entries"];
const COLUMNS = ["namespace", "key", "type", "value", "size", "created_at", "expires_at"];

const readable = new WeakSet<InspectorContext>();
const checks = new WeakMap<InspectorContext, RowSecurityCheck>();

/** Whether the table of the cache exists, may be read, and keeps the tenant apart. It asks the database until it does. */
export async function hasCache(context: InspectorContext, signal: AbortSignal): Promise<boolean> {
  if (readable.has(context)) return true;
  const found = await readableColumns({ ...context.call, signal }, TABLES);
  const isThere = COLUMNS.every((name) => found.some(({ column }) => column === name));
  const isApart = context.call.policy.tenantId === undefined || found.every(({ is_secured }) => is_secured);
  if (isThere && isApart) readable.add(context);
  return isThere && isApart;
}

/**
 * Returns what the queries about the cache are sent with: the database, the schema and the tenant of the saver. Not its replica, which does
 * not have an unlogged table.
 *
 * @throws InvalidConfigError where there is no such table; see {@link hasCache}.
 */
export async function cacheCallOf(context: InspectorContext, signal: AbortSignal): Promise<CallContext> {
  if (!(await hasCache(context, signal))) {
    throw new InvalidConfigError("cache", "there is no cache that the inspector may read");
  }
  const { database, schema, telemetry, policy } = context.call;
  const { retry, statementTimeoutMs, tenantId } = policy;
  const rowSecurity = tenantId === undefined ? undefined : checkOf(context);
  return {
    ...{ database, schema, signal, optionalTables: ["cache"] },
    ...(telemetry !== undefined && { telemetry }),
    policy: { retry, statementTimeoutMs, tenantId, rowSecurity },
  };
}

/** It remembers that it has passed. */
function checkOf(context: InspectorContext): RowSecurityCheck {
  const known = checks.get(context);
  if (known !== undefined) return known;
  const check = new RowSecurityCheck(TABLES);
  checks.set(context, check);
  return check;
}
