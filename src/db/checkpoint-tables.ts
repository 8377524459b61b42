import type { ObservedCall } from "../telemetry/observed-call.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { OpenedDatabase } from "./open-database.js";
import type { RetryOptions } from "./statements/retry-transient.js";
import type { RunContext } from "./statements/run-context.js";
import type { SizeLimits } from "./size-limits.js";

/** The checkpoint tables of one schema in one database: what every query takes first. */
export interface CheckpointTables extends RunContext {
  readonly database: OpenedDatabase;
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How transient faults are retried; `false` where they are not. */
  readonly retry: RetryOptions | false;
  /** Looks whether tenants are kept apart, where {@link tenantId} is set. */
  readonly rowSecurity?: { run(tables: CheckpointTables): Promise<void> } | undefined;
  /** In which portions much data is sent. Default: `DEFAULT_SIZE_LIMITS`. */
  readonly limits?: SizeLimits;
  /** Who watches what is done with them; nobody by default. */
  readonly telemetry?: Telemetry;
  /** The call that statements are sent for, where somebody watches it. */
  readonly call?: ObservedCall | undefined;
}
