import { z } from "zod";
import { MAX_TIMER_MS } from "../db/async/timers.js";
import { MAX_NAME_BYTES } from "../db/migrate-command.js";
import type { RetryOptions } from "../db/statements/retry-transient.js";
import type { Logger } from "../telemetry/logger.js";
import { keyText } from "./keys.js";

/** The options of a saver, a store or a cache about the database and what is reported. */
export interface ConnectionOptions {
  /** The schema that holds the tables. Any name works, since it is quoted. Default `public`. */
  readonly schema?: string | undefined;
  /**
   * Whether statements are prepared, so that Postgres plans each once per connection. Use `false` behind a pooler in
   * transaction mode that does not support prepared statements. A connection keeps the 100 statements that all savers on its
   * pool used last. Default `true`.
   */
  readonly prepare?: boolean | undefined;
  /** How transient faults are retried, or `false` for no retries. Default: for 15 seconds. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * The time limit of one statement, in milliseconds. The server cancels a statement that takes longer, and the call throws a
   * `StatementTimeoutError`. If the server does not answer the cancel request either, the connection counts as lost, and the
   * saver retries the statement on another one. While the process is frozen or busy no time counts. Default: no limit.
   *
   * The limit does not include the wait for a connection: `connectionTimeoutMillis` of the pool limits that, or else 60 seconds in which
   * no connection is given back. It does not apply to migrations. PGlite runs in this process: there it limits only the wait for its one
   * connection, which a transaction of the application may hold, and the default is 15 seconds. A write that is stored, and only waited
   * for a synchronous standby, fails with `NotReplicatedError`.
   */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * The tenant whose rows it sees, in a database with row-level security. It sets `langgraph.tenant_id` to it
   * for the transaction of each statement, and the policies compare it. It refuses a database without such policies.
   */
  readonly tenantId?: string | undefined;
  /** The logger for retries, lost connections and failed calls. Default: none. */
  readonly logger?: Logger | undefined;
  /** What spans and logs contain: with `{ threadIds: false }` no ids of threads, which may be personal data. */
  readonly telemetry?: TelemetryChoice | undefined;
}

/** What spans and logs contain. */
export interface TelemetryChoice {
  /** Whether they contain the ids of threads, which may be personal data. Default `true`. */
  readonly threadIds?: boolean | undefined;
}

const schemaName = z
  .string()
  .min(1)
  .refine(
    (name) => Buffer.byteLength(name) <= MAX_NAME_BYTES,
    `must not be longer than ${MAX_NAME_BYTES} bytes`,
  )
  .refine((name) => !/\0|\p{Surrogate}/u.test(name), "must not contain U+0000 or a lone surrogate");

const milliseconds = z.number().min(0).optional();

const timeout = z.number().min(1).max(MAX_TIMER_MS).optional();

// Postgres does not distinguish an empty setting from one that is not set.
const tenantId = keyText.refine((text) => text !== "", "must not be empty");

const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
const logger = z.custom<Logger>(isLogger, "must have a function debug, info, warn or error");

// A logger may have other properties as well.
function isLogger(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const levels = LOG_LEVELS.map((level): unknown => Reflect.get(value, level)).filter(
    (write) => write !== undefined,
  );
  return levels.length > 0 && levels.every((write) => typeof write === "function");
}

/** The schemas of {@link ConnectionOptions}, by name, with their defaults. */
export const connectionOptions = {
  schema: schemaName.default("public"),
  prepare: z.boolean().default(true),
  retry: z
    .union([
      z.literal(false),
      z.strictObject({ maxElapsedMs: milliseconds, minDelayMs: milliseconds, maxDelayMs: milliseconds }),
    ])
    .default({}),
  statementTimeoutMs: timeout,
  tenantId: tenantId.optional(),
  logger: logger.optional(),
  telemetry: z.strictObject({ threadIds: z.boolean().optional() }).optional(),
};
