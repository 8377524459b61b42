import type { Logger } from "../telemetry/logger.js";
import { Telemetry } from "../telemetry/telemetry.js";
import type { CallContext, StatementPolicy } from "./call-context.js";
import { openDatabase } from "./open-database.js";
import type { AnyDatabaseSource } from "./opened-database.js";
import { openReplica, type ReplicaOptions } from "./replica/open-replica.js";
import { loadOnce } from "./async/load-once.js";
import type { RetryOptions } from "./statements/retry-transient.js";
import { reportLostConnection } from "./lost-connection.js";

/** The parsed options about the database and what is reported. */
export interface OpenCallOptions {
  readonly schema: string;
  readonly prepare: boolean;
  readonly retry: RetryOptions | false;
  readonly statementTimeoutMs?: number | undefined;
  readonly tenantId?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly telemetry?: { readonly threadIds?: boolean | undefined } | undefined;
  readonly replica?: ReplicaOptions | undefined;
}

/** The context that each call of a saver, a store or a cache starts from. */
export interface OpenedCall extends CallContext {
  readonly telemetry: Telemetry;
}

/**
 * Opens a database for calls. Nothing is sent before the first one.
 *
 * @param tenantTables - The tables that must separate tenants, where the options name one.
 * @throws InvalidConfigError for an invalid source.
 */
export function openCall(
  source: AnyDatabaseSource,
  options: OpenCallOptions,
  tenantTables: readonly string[],
): OpenedCall {
  const { schema, prepare, retry, statementTimeoutMs, tenantId } = options;
  const database = openDatabase(source, {
    prepare,
    onConnectionLost: (error) => {
      reportLostConnection(telemetry, error);
    },
  });
  const telemetry = new Telemetry({
    logger: options.logger,
    address: database.address,
    threadIds: options.telemetry?.threadIds,
  });
  const rowSecurity = tenantId === undefined ? undefined : checkOf(tenantTables);
  const replica = options.replica && openReplica(options.replica, database, { prepare, telemetry });
  return {
    database,
    replica,
    schema,
    telemetry,
    policy: { retry, statementTimeoutMs, tenantId, rowSecurity },
  };
}

/** Returns the check that row-level security separates tenants, which is loaded when the first call needs it. */
function checkOf(tables: readonly string[]): StatementPolicy["rowSecurity"] {
  const load = loadOnce(async () => {
    const { RowSecurityCheck } = await import("./row-security.js");
    return new RowSecurityCheck(tables);
  });
  return { run: async (call) => (await load()).run(call) };
}
