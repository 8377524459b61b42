import type { LogFields } from "./log-fields.js";

/** Writes one line of a log. What it returns is not looked at. */
export type WriteLog = (message: string, fields: LogFields) => unknown;

/**
 * Where a saver tells what happens to it. A level that is left out is not written. The console and winston fit as they
 * are; pino takes its arguments the other way round.
 *
 * Neither values nor parameters nor passwords are ever handed to it. If it throws, the call goes on.
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
  /** Calls that their signal has ended. */
  readonly debug?: WriteLog | undefined;
  /** Migrations that were applied, watches that go on, locks of threads that were refused. */
  readonly info?: WriteLog | undefined;
  /** What is tried again, connections and locks that were lost. */
  readonly warn?: WriteLog | undefined;
  /** Calls that failed, once each. */
  readonly error?: WriteLog | undefined;
}

/** The levels of a {@link Logger}. */
export type LogLevel = keyof Logger;

/** Writes to a logger that may do anything, or to none. */
export class SafeLogger {
  readonly #logger: Logger | undefined;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  /** Whether anybody reads it. */
  get isHeard(): boolean {
    return this.#logger !== undefined;
  }

  /** Whatever the logger does: an application's log must not break what it is about. */
  write(level: LogLevel, message: string, fields: LogFields): void {
    try {
      // Called as a method, since most loggers are classes.
      const written = this.#logger?.[level]?.(message, fields);
      if (written instanceof Promise) written.catch(ignore);
    } catch {
      // There is nowhere to tell of it.
    }
  }
}

function ignore(): void {
  // As above.
}
