import type { Option } from "commander";
import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { ExitCode } from "./exit-code.js";
import type { Style } from "./style.js";

/** What a command works with that needs no database. */
export interface OfflineContext {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How long to wait for other migrations and for tables in use, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** Colours for {@link Report.text}, where it goes to a terminal. */
  readonly style: Style;
}

/** What a command works with. */
export interface CommandContext extends OfflineContext {
  /** The database; opened and closed around the command. */
  readonly db: Kysely<CheckpointDatabase>;
}

/** What a command has to say; whether as text or as JSON is the user's choice. */
export interface Report {
  readonly exitCode: ExitCode;
  /** For people, without a final line break. */
  readonly text: string;
  /** For programs: the same facts, to be written as JSON. */
  readonly json: object;
}

/**
 * A command. To add one, write it in a file of its own beside the others and name it in `commands/index.ts`; the options
 * that every command has, help, errors and exit codes come by themselves.
 *
 * @example
 * ```ts
 * export const threads: CommandDefinition = {
 *   name: "threads",
 *   summary: "list the threads",
 *   examples: ["threads", "threads --json"],
 *   run: async ({ db, schema }) => {
 *     const ids = await listThreads(db, schema);
 *     return { exitCode: EXIT_CODE.ok, text: ids.join("\n"), json: { ids } };
 *   },
 * };
 * ```
 */
export interface CommandDefinition {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The options of this command alone. Made anew for each run, since the parser keeps what it found in them. */
  readonly options?: () => readonly Option[];
  /** Command lines, without the name of the program. */
  readonly examples: readonly string[];
  readonly subcommands?: readonly CommandDefinition[];
  /**
   * Answers what can be answered without a database. It is asked first, so that nobody has to name a database for it.
   *
   * @param flags - As those of {@link run}.
   * @returns `undefined` where {@link run} is to answer.
   */
  runOffline?(context: OfflineContext, flags: unknown): Report | undefined;
  /** @param flags - The values of {@link options}, by name, as the parser found them. */
  run(context: CommandContext, flags: unknown): Promise<Report>;
}
