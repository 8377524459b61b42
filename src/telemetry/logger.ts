/** The fields of a log line, by name: text, numbers and booleans. Unknown fields are left out. */
export type LogFields = Record<string, unknown>;

/** Writes one line to a log. The return value is ignored. */
export type WriteLog = (message: string, fields: LogFields) => unknown;

/**
 * The log of a saver. A missing level is not written. The console and winston fit as they are; pino takes its
 * arguments in the other order.
 *
 * The saver never passes values, parameters or passwords to it. If it throws, the call continues.
 *
 * @example
 * ```ts
 * new PostgresSaver(pool, undefined, { logger: console });
 *
 * const log = pino();
 * const logger = { warn: (message, fields) => log.warn(fields, message), error: (message, fields) => log.error(fields, message) };
 * new PostgresSaver(pool, undefined, { logger });
 * ```
 */
export interface Logger {
  /** Calls that their signal ended, and rounds of retention that another process does. */
  readonly debug?: WriteLog | undefined;
  /**
   * Applied migrations, watches that continue, refused thread locks, a replica or a cache that is used again, rounds of retention that have
   * deleted rows or that continue; a call that goes on after it has waited too long, with `waitedMs`.
   */
  readonly info?: WriteLog | undefined;
  /**
   * Each retry, with the failure, its number and the delay; lost connections and lost thread locks; a replica that is left aside, with its
   * `fault` and `lagMs`, and a cache; a retention that waits for a replica; a read that waited for the clock for 100 ms or longer, with
   * `waitedMs`; each call that waits too long, once, with `waitedMs` and `waitsFor`.
   */
  readonly warn?: WriteLog | undefined;
  /** Failed calls, once each: operation, thread, checkpoint, `code`, `sqlState`, duration. */
  readonly error?: WriteLog | undefined;
}

/** The levels of a {@link Logger}. */
export type LogLevel = keyof Logger;

/** Writes to an optional logger, and survives whatever the logger does. */
export class SafeLogger {
  readonly #logger: Logger | undefined;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** Whether there is a logger. */
  get isEnabled(): boolean {
    return this.#logger !== undefined;
  }

  /** Never throws, whatever the logger does: an application's log must not break a call. */
  write(level: LogLevel, message: string, fields: LogFields): void {
    try {
      // Called as a method, since most loggers are classes.
      const written = this.#logger?.[level]?.(message, fields);
      if (written instanceof Promise) written.catch(ignore);
    } catch {
      // There is no other place to report it.
    }
  }
}

function ignore(): void {
  // There is no other place to report it.
}

/** The address of a database, as far as it is known without asking the server. */
export interface DatabaseAddress {
  /** The name or address of the server, or the folder of its socket. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The name of the database. */
  readonly database?: string | undefined;
}
