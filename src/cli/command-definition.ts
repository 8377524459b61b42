import type { Argument, Option } from "commander";
import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { CallContext } from "../db/call-context.js";
import type { PostgresSaverOptions } from "../saver/boundary/parse-options.js";
import type { PostgresSaver } from "../postgres-saver.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { PostgresStore } from "../store/postgres-store.js";
import type { PostgresStoreOptions } from "../store/store-options.js";
import type { Logger } from "../telemetry/logger.js";
import type { ExitCode } from "./command-io.js";
import type { Style } from "./output/style.js";
import type { OpenUrl } from "./run/open-url.js";
import type { Terminal } from "./terminal/terminal.js";

/** The context of a command that needs no database, or opens its own ones. */
export interface OfflineContext {
  /** The schema that holds the tables. */
  readonly schema: string;
  /** How long to wait for other migrations and for table locks, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** The colours of {@link Report.text}. */
  readonly style: Style;
  /** Aborts when the user interrupts the command. Pass it to everything that takes long. */
  readonly signal: AbortSignal;
  /** Questions, progress, and output that is too long for a report. */
  readonly terminal: Terminal;
  /** Prints the first retry of an operation, and with {@link CommandDefinition.lasts} failed calls. */
  readonly logger: Logger;
  /** Opens the database of a connection string. */
  readonly open: OpenUrl;
  /** Imports a module of the user. */
  readonly importModule: (url: string) => Promise<unknown>;
  /**
   * Creates a serializer that reads MessagePack, JSON and compressed values, and with the key in `LANGGRAPH_AES_KEY` encrypted ones.
   * It refuses writes.
   */
  readonly serializer: () => ContextualSerializer;
}

/** The context of a command. */
export interface CommandContext extends OfflineContext {
  /** The database, opened before the command and closed after it. On a server, {@link signal} cancels its queries. */
  readonly db: Kysely<CheckpointDatabase>;
  /** The same database with another signal, for work after an interrupt. */
  readonly dbUntil: (signal: AbortSignal) => Kysely<CheckpointDatabase>;
  /** The same database, for functions of other rooms that no saver method calls. */
  readonly tables: CallContext;
  /**
   * A saver on the tables, created on first use. It reads MessagePack, JSON and compressed values, and with the key in
   * `LANGGRAPH_AES_KEY` encrypted ones.
   */
  readonly saver: PostgresSaver;
  /** A store on the tables, created on first use. It migrates nothing, and its reads leave the times of items as they are. */
  readonly store: PostgresStore;
  /**
   * The same store for reads: it also reads values that a serializer has compressed, and with the key in `LANGGRAPH_AES_KEY` encrypted
   * ones. It refuses filters, since it does not know which keys are stored in clear text, and it refuses writes.
   */
  readonly readableStore: PostgresStore;
  /**
   * Creates another store on the tables.
   *
   * @param options - The options of the store, besides those of the connection.
   */
  readonly openStore: (options: PostgresStoreOptions) => PostgresStore;
  /**
   * Creates another saver on the tables.
   *
   * @param options - The options of the saver, besides the schema.
   * @param types - The type tags of stored values that new values must match. Default: MessagePack, encrypted if a key is set.
   */
  readonly openSaver: (
    options: Omit<PostgresSaverOptions, "schema">,
    types?: readonly string[],
  ) => PostgresSaver;
  /** Stops the notice about a server that does not answer. Commands with {@link CommandDefinition.connectsItself} call it. */
  readonly onConnected: () => void;
}

/** The result of a command. The user chooses whether it is printed as text or as JSON. */
export interface Report {
  readonly exitCode: ExitCode;
  /** The text for people, without a final line break. Data from the database must pass through `printable`. */
  readonly text: string;
  /** The same facts for programs, printed as JSON. May hold dates, BigInts, Maps and messages. */
  readonly json: object;
  /** The stream to print to. Default: standard output. */
  readonly on?: "stdout" | "stderr";
  /** Settles when a command ends that goes on after its report, which is then printed at once. The database stays open until then. */
  readonly ended?: Promise<void>;
}

/**
 * A command. To add one, write it in `commands`, beside its like if it has one, and list it in `commands/index.ts`. Import other rooms
 * inside `run`: the files of all commands are loaded for every command and for help. Common options, help, errors and exit
 * codes need no code in the command.
 *
 * @example
 * ```ts
 * export const threadsCommand: CommandDefinition = {
 *   name: "threads",
 *   group: "Inspect",
 *   summary: "list the threads",
 *   examples: ["threads", "threads --json"],
 *   run: async ({ saver, signal }) => {
 *     const threads = await saver.listThreads({ signal });
 *     const ids = threads.map(({ threadId }) => printable(threadId));
 *     return success(ids.join("\n"), { threads });
 *   },
 * };
 * ```
 */
export interface CommandDefinition {
  readonly name: string;
  /** The heading under which help lists the command. Default: `Tables`. */
  readonly group?: CommandGroup;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The positional arguments. Called for each run, like the options. */
  readonly args?: () => readonly Argument[];
  /** The options of this command only. Called for each run, since the parser stores values in the options. */
  readonly options?: () => readonly Option[];
  /** Example command lines, without the name of the program. */
  readonly examples: readonly string[];
  readonly subcommands?: readonly CommandDefinition[];
  /** Whether the command and its subcommands accept `--lock-timeout`. */
  readonly takesLocks?: boolean;
  /** Whether the command reports connection errors itself. Otherwise the connection is tested before `run`. */
  readonly connectsItself?: boolean;
  /** Whether the command goes on after its report, so that neither the report nor the exit code tells of calls that fail. */
  readonly lasts?: boolean;
  /** Whether the command creates the database of a folder that has none. Does not apply to its subcommands. */
  readonly createsDatabase?: boolean;
  /**
   * Runs the command without a database, if that is possible. It is called before the connection string is parsed.
   *
   * @param flags - The same flags as those of {@link run}.
   * @returns `undefined` if the command needs {@link run}.
   */
  runOffline?(context: OfflineContext, flags: unknown): Promise<Report | undefined>;
  /**
   * Runs a command that opens its databases itself. It has no {@link run}, and does not accept `--url` and `--schema`.
   *
   * @param flags - The same flags as those of {@link run}.
   */
  runAlone?(context: OfflineContext, flags: unknown): Promise<Report>;
  /**
   * Absent if the command only groups its subcommands, or has {@link runAlone}.
   *
   * @param flags - The values of {@link options} and {@link args} by name, as the parser returned them.
   */
  run?(context: CommandContext, flags: unknown): Promise<Report>;
}

/** A command that can be run itself. */
export type RunnableCommand = CommandDefinition & (RunsOnDatabase | RunsAlone);
type RunsAlone = Required<Pick<CommandDefinition, "runAlone">>;
type RunsOnDatabase = Required<Pick<CommandDefinition, "run">> & { readonly runAlone?: undefined };

/** The headings of the list of commands, in its order. */
export const COMMAND_GROUPS = [
  "Inspect",
  "Change",
  "Clean up",
  "Check and back up",
  "Long-term memory",
  "Tables",
] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];
