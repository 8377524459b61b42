import { setTenant } from "../tenant.js";
import { limitLocks } from "./lock-timeout.js";
import type { RunContext } from "./run-context.js";
import type { BoundStatement } from "./statement.js";
import { confirmEarlier } from "./synchronous-replication.js";

/** The statements that set up a transaction for a call, before its own. Most calls need none. */
export function scopeOf({ tenantId, lockTimeoutMs, confirmsEarlier }: RunContext): BoundStatement<unknown>[] {
  const scope: BoundStatement<unknown>[] = [];
  if (tenantId !== undefined) scope.push(setTenant(tenantId));
  if (lockTimeoutMs !== undefined) scope.push(limitLocks(lockTimeoutMs));
  if (confirmsEarlier === true) scope.push(confirmEarlier());
  return scope;
}
