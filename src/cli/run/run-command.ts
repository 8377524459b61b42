import type { StoreDatabase } from "../../db/checkpoint-database.js";
import type { DatabaseSource, OpenedDatabase } from "../../db/opened-database.js";
import type { RetryOptions } from "../../db/statements/retry-transient.js";
import { PostgresSaver } from "../../postgres-saver.js";
import type { Logger } from "../../telemetry/logger.js";
import { PostgresStore } from "../../store/postgres-store.js";
import type { CommandContext, OfflineContext, Report, RunnableCommand } from "../command-definition.js";
import type { CommandIO, ExitCode } from "../command-io.js";
import { reportFailure, type UsageOutput } from "../errors/report-failure.js";
import {
  parseCommonOptions,
  parsePrintOptions,
  parseUrl,
  type PrintOptions,
} from "../options/common-options.js";
import { formatJson } from "../output/format-value.js";
import { printable, printableLines } from "../output/printable.js";
import { styleFor } from "../output/style.js";
import { CliSerializer } from "./cli-serializer.js";
import { matchingSerializer } from "./matching-serializer.js";
import { openTerminal } from "../terminal/terminal.js";
import { openNamed, openUrl, type OpenUrl, testConnection, startWaitingNotice } from "./open-url.js";

const READ_ONLY = "the command line only reads such values";

/** The surroundings of a command line. */
export interface CommandRuntime extends UsageOutput {
  /** Opens the database. Default: by its connection string. */
  readonly open?: OpenUrl | undefined;
}

/** Runs a command with its parsed flags, prints its report or its error, and returns the exit code. */
export async function runCommand(
  command: RunnableCommand,
  flags: unknown,
  runtime: CommandRuntime,
): Promise<ExitCode> {
  const { io, open = openUrl, redact } = runtime;
  const print = parsePrintOptions(flags);
  try {
    const offline: OfflineContext = {
      ...parseCommonOptions(flags),
      style: styleFor(io.stdout, io.env),
      signal: io.signal ?? new AbortController().signal,
      terminal: openTerminal(io, print.json),
      logger: { ...retryLogger(io, redact), ...(command.lasts === true && failureLogger(io, redact)) },
      open,
      importModule: io.importModule,
      serializer: () => new CliSerializer(io.env, READ_ONLY),
    };
    const report = await runWith(command, offline, flags, runtime);
    if (report.ended === undefined) printReport(report, io, print);
    return report.exitCode;
  } catch (error) {
    return reportFailure(error, print, io, redact);
  }
}

async function runWith(
  command: RunnableCommand,
  offline: OfflineContext,
  flags: unknown,
  runtime: CommandRuntime,
): Promise<Report> {
  if (command.runAlone !== undefined) return command.runAlone(offline, flags);
  const report = await command.runOffline?.(offline, flags);
  if (report !== undefined) return report;
  const { io } = runtime;
  const { createsDatabase } = command;
  const opened = openNamed(parseUrl(flags, io.env), offline.open, { createsDatabase });
  return withDatabase(opened, async (database) => {
    const onConnected = startWaitingNotice(io, database.address());
    try {
      const dbUntil: CommandContext["dbUntil"] = (signal) =>
        database.kyselyUntil?.(signal) ?? database.kysely;
      const isStandby =
        command.connectsItself !== true && (await connects(dbUntil(offline.signal), onConnected));
      // A service waits for a failover. A command on a standby was given the wrong server.
      const retry = isStandby ? false : {};
      const context = contextFor(database, { ...offline, onConnected, dbUntil, retry }, runtime);
      const report = await command.run(context, flags);
      if (report.ended !== undefined) printReport(report, io, parsePrintOptions(flags));
      await report.ended;
      return report;
    } finally {
      onConnected();
    }
  });
}

function printReport({ text, json, on = "stdout" }: Report, io: CommandIO, print: PrintOptions): void {
  io[on].write(`${print.json ? formatJson(json) : text}\n`);
}

function contextFor(
  database: OpenedDatabase,
  {
    retry,
    ...context
  }: OfflineContext &
    Pick<CommandContext, "onConnected" | "dbUntil"> & { readonly retry: RetryOptions | false },
  { io }: CommandRuntime,
): CommandContext {
  const { source } = database;
  const { signal, logger } = context;
  const openSaver: CommandContext["openSaver"] = (options, types) => {
    const serde = types === undefined ? new CliSerializer(io.env) : matchingSerializer(types, io.env);
    // On the pool, so that a signal cancels by the protocol: behind a pooler, pg_cancel_backend may meet another client's statement.
    const common = { schema: context.schema, logger, prepare: false, retry };
    return new PostgresSaver(source, serde, { ...options, ...common });
  };
  const openStore: CommandContext["openStore"] = (options) =>
    new PostgresStore(source as DatabaseSource<StoreDatabase>, {
      ...{ schema: context.schema, logger, prepare: false, ensureTables: false, retry, ...options },
    });
  let saver: PostgresSaver | undefined;
  let store: PostgresStore | undefined;
  return {
    ...context,
    db: context.dbUntil(signal),
    tables: { database, schema: context.schema, policy: { retry }, signal },
    get saver() {
      return (saver ??= openSaver({}));
    },
    get store() {
      return (store ??= openStore({}));
    },
    get readableStore() {
      return openStore({ serde: new CliSerializer(io.env, READ_ONLY) });
    },
    openSaver,
    openStore,
  };
}

/** Prints the first retry only. A saver may retry for many seconds if the server goes away, and logs each attempt. */
function retryLogger({ stderr }: CommandIO, redact: CommandRuntime["redact"]): Logger {
  let hasPrinted = false;
  return {
    warn: (message, { error }) => {
      const text = typeof error === "string" ? `${printable(redact(error))}, retrying` : message;
      if (!hasPrinted) stderr.write(`${text}\n`);
      hasPrinted = true;
    },
  };
}

/** Prints failed calls, with the stack of an error that nobody has foreseen. */
function failureLogger({ stderr }: CommandIO, redact: CommandRuntime["redact"]): Logger {
  return {
    error: (message, { error, stack }) => {
      const lines = [`error: ${message}: ${String(error)}`, ...(typeof stack === "string" ? [stack] : [])];
      stderr.write(`${printableLines(redact(lines.join("\n")))}\n`);
    },
  };
}

/** @returns Whether the server is a standby. */
async function connects(
  db: CommandContext["db"],
  onConnected: CommandContext["onConnected"],
): Promise<boolean> {
  const { standby } = await testConnection(db);
  onConnected();
  return standby;
}

async function withDatabase(
  database: OpenedDatabase,
  use: (database: OpenedDatabase) => Promise<Report>,
): Promise<Report> {
  const report = await use(database).catch(async (error: unknown) => {
    // Report the first error, even if closing the broken database fails too.
    await database.close().catch(() => undefined);
    throw error;
  });
  await database.close();
  return report;
}
