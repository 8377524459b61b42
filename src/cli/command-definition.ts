import type { Argument, Option } from "commander";
import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { CheckpointTables } from "../db/checkpoint-tables.js";
import type { PostgresSaverOptions } from "../saver/boundary/parse-options.js";
import type { PostgresSaver } from "../postgres-saver.js";
import type { ExitCode } from "./exit-code.js";
import type { Style } from "./output/style.js";
import type { Terminal } from "./terminal/terminal.js";

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
  /** The database; opened and closed around the command. On a server, {@link signal} ends its queries and transactions. */
  readonly db: Kysely<CheckpointDatabase>;
  /** The same for what is to be done after an interrupt: another signal ends it. */
  readonly dbUntil: (signal: AbortSignal) => Kysely<CheckpointDatabase>;
  /** The same database, for queries of the saver that no method of it sends. */
  readonly tables: CheckpointTables;
  /**
   * A saver on the tables, made when it is first asked for. It reads MessagePack, JSON and what is compressed, and with the
   * key in `LANGGRAPH_AES_KEY` what is encrypted by it.
   */
  readonly saver: PostgresSaver;
  /**
   * Makes another one, with options beside the schema.
   *
   * @param types - What it writes is written in, as the type tags of stored values say. Default: MessagePack, encrypted where
   *   there is a key.
   */
  readonly openSaver: (
    options: Omit<PostgresSaverOptions, "schema">,
    types?: readonly string[],
  ) => PostgresSaver;
  /** Aborts when the user has had enough. To be handed to whatever takes long. */
  readonly signal: AbortSignal;
  /** To be called by a command that {@link CommandDefinition.connectsItself} once the server has answered. */
  readonly answered: () => void;
  /** For questions, progress, and output that is too long for a report. */
  readonly terminal: Terminal;
}

/** What a command has to say; whether as text or as JSON is the user's choice. */
export interface Report {
  readonly exitCode: ExitCode;
  /** For people, without a final line break. What came from the database is `printable`. */
  readonly text: string;
  /** For programs: the same facts, to be written as JSON. Dates, BigInts, Maps and messages may be among them. */
  readonly json: object;
  /** Where it is printed. Default: standard output. */
  readonly on?: "stdout" | "stderr";
}

/**
 * A command. To add one, write it in a file of its own beside the others and name it in `commands/index.ts`. What it needs of
 * the other rooms it imports while it runs: the files of all commands are loaded for each, and for help. The options
 * that every command has, help, errors and exit codes come by themselves.
 *
 * @example
 * ```ts
 * export const threads: CommandDefinition = {
 *   name: "threads",
 *   group: "Look",
 *   summary: "list the threads",
 *   examples: ["threads", "threads --json"],
 *   run: async ({ saver, signal }) => {
 *     const threads = await saver.listThreads({ signal });
 *     const ids = threads.map(({ threadId }) => printable(threadId));
 *     return { exitCode: EXIT_CODE.ok, text: ids.join("\n"), json: { threads } };
 *   },
 * };
 * ```
 */
export interface CommandDefinition {
  readonly name: string;
  /** Under which heading help lists it. */
  readonly group?: CommandGroup;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What comes behind the name. Made anew for each run, as the options. */
  readonly args?: () => readonly Argument[];
  /** The options of this command alone. Made anew for each run, since the parser keeps what it found in them. */
  readonly options?: () => readonly Option[];
  /** Command lines, without the name of the program. */
  readonly examples: readonly string[];
  readonly subcommands?: readonly CommandDefinition[];
  /** Whether it waits for locks, as `--lock-timeout` says; its subcommands do so too. */
  readonly takesLocks?: boolean;
  /** Whether it tells by itself of a database that can't be reached. Otherwise that is found out before it runs. */
  readonly connectsItself?: boolean;
  /** Whether it makes the database of a folder that has none. Its subcommands don't. */
  readonly makesDatabase?: boolean;
  /**
   * Answers what can be answered without a database. It is asked first, so that nobody has to name a database for it.
   *
   * @param flags - As those of {@link run}.
   * @returns `undefined` where {@link run} is to answer.
   */
  runOffline?(context: OfflineContext, flags: unknown): Promise<Report | undefined>;
  /** @param flags - The values of {@link options} and {@link args}, by name, as the parser found them. */
  run(context: CommandContext, flags: unknown): Promise<Report>;
}

/** The headings of the list of commands, in its order. */
export const COMMAND_GROUPS = ["Look", "Change", "Clean up", "Check and back up", "Tables"] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];
