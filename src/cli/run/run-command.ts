import { CompiledQuery } from "kysely";
import type { StoreDatabase } from "../../db/checkpoint-database.js";
import { connectionStringFault } from "../../db/pool/connection-string.js";
import type { OpenedDatabase } from "../../db/opened-database.js";
import { isPGliteUrl, pgliteUrlFault } from "../../db/pglite/pglite-url.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { InvalidConfigError } from "../../errors/index.js";
import { PostgresSaver } from "../../postgres-saver.js";
import type { Logger } from "../../telemetry/logger.js";
import { PostgresStore } from "../../store/postgres-store.js";
import type { CommandContext, OfflineContext, Report, RunnableCommand } from "../command-definition.js";
import type { CommandIO } from "../command-io.js";
import { explainConnectionError } from "../errors/explain-connection-error.js";
import { reportFailure } from "../errors/report-failure.js";
import type { ExitCode } from "../exit-code.js";
import {
  parseCommonOptions,
  parsePrintOptions,
  parseUrl,
  type PrintOptions,
} from "../options/common-options.js";
import { formatJson } from "../output/format-json.js";
import { printable } from "../output/printable.js";
import { styleFor } from "../output/style.js";
import { CliSerializer } from "../serializers/cli-serializer.js";
import { matchingSerializer } from "../serializers/matching-serializer.js";
import { openTerminal } from "../terminal/terminal.js";
import { openUrl, type OpenUrl, requireDatabaseFolder } from "./open-url.js";
import { startWaitingNotice } from "./waiting-notice.js";

/** The surroundings of a command line. */
export interface CommandRuntime {
  readonly io: CommandIO;
  /** Opens the database. Default: by its connection string. */
  readonly open?: OpenUrl | undefined;
  /** Masks passwords in a text. */
  readonly redact: (text: string) => string;
  /** Whether JSON was requested. Known even if the command line can't be parsed. */
  readonly json: boolean;
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
    const offline = { ...parseCommonOptions(flags), style: styleFor(io.stdout, io.env) };
    const report =
      (await command.runOffline?.(offline, flags)) ??
      (await withDatabase(openerFor(command, open), parseUrl(flags, io.env), async (database) => {
        const onConnected = startWaitingNotice(io, database.address());
        try {
          const context = contextFor(database, { ...offline, onConnected }, runtime, print);
          if (command.connectsItself !== true) await connect(context);
          return await command.run(context, flags);
        } finally {
          onConnected();
        }
      }));
    printReport(report, io, print);
    return report.exitCode;
  } catch (error) {
    return reportFailure(error, print, io, redact);
  }
}

function printReport({ text, json, on = "stdout" }: Report, io: CommandIO, print: PrintOptions): void {
  io[on].write(`${print.json ? formatJson(json) : text}\n`);
}

function contextFor(
  database: OpenedDatabase,
  context: OfflineContext & Pick<CommandContext, "onConnected">,
  { io, redact }: CommandRuntime,
  { json }: PrintOptions,
): CommandContext {
  const { kysely, kyselyUntil, source } = database;
  const signal = io.signal ?? new AbortController().signal;
  const dbUntil: CommandContext["dbUntil"] = (until) => kyselyUntil?.(until) ?? kysely;
  const logger = retryLogger(io, redact);
  const openSaver: CommandContext["openSaver"] = (options, types) => {
    const serde = types === undefined ? new CliSerializer(io.env) : matchingSerializer(types, io.env);
    // On the pool, so that a signal cancels by the protocol: behind a pooler, pg_cancel_backend may meet another client's statement.
    return new PostgresSaver(source, serde, { ...options, schema: context.schema, logger, prepare: false });
  };
  const openStore: CommandContext["openStore"] = (options) =>
    new PostgresStore("$extendTables" in source ? source.$extendTables<StoreDatabase>() : source, {
      ...{ schema: context.schema, logger, prepare: false, ensureTables: false, ...options },
    });
  let saver: PostgresSaver | undefined;
  let store: PostgresStore | undefined;
  return {
    ...context,
    db: dbUntil(signal),
    dbUntil,
    tables: { database, schema: context.schema, policy: { retry: {} }, signal },
    get saver() {
      return (saver ??= openSaver({}));
    },
    get store() {
      return (store ??= openStore({}));
    },
    get readableStore() {
      return openStore({ serde: new CliSerializer(io.env, "the command line only reads such values") });
    },
    openSaver,
    openStore,
    signal,
    terminal: openTerminal(io, json),
  };
}

function openerFor({ createsDatabase = false }: RunnableCommand, open: OpenUrl): OpenUrl {
  return (url) => {
    try {
      if (!createsDatabase && pgliteUrlFault(url) === undefined) requireDatabaseFolder(url);
      return open(url);
    } catch (error) {
      throw explainMalformedUrl(error, url);
    }
  };
}

/** Says what is wrong with a connection string, and names the most frequent cause. */
function explainMalformedUrl(error: unknown, url: string): unknown {
  if (!(error instanceof InvalidConfigError)) return error;
  const fault = isPGliteUrl(url) ? pgliteUrlFault(url) : connectionStringFault(url);
  return new InvalidConfigError(
    "--url or DATABASE_URL",
    `not a valid connection string; ${fault === undefined ? "" : `${fault}; `}` +
      "special characters in user, password and database must be percent-encoded",
    { cause: error },
  );
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

/**
 * Connects once without retries, so that a mistyped port fails at once. Later, the saver retries if the server goes away.
 */
async function connect({ db, onConnected }: CommandContext): Promise<void> {
  try {
    await db.executeQuery(CompiledQuery.raw("select 1"));
    onConnected();
  } catch (error) {
    throw explainConnectionError(toDatabaseError(error));
  }
}

async function withDatabase(
  open: OpenUrl,
  url: string,
  use: (database: OpenedDatabase) => Promise<Report>,
): Promise<Report> {
  const database = open(url);
  const report = await use(database).catch(async (error: unknown) => {
    // Report the first error, even if closing the broken database fails too.
    await database.close().catch(() => undefined);
    throw error;
  });
  await database.close();
  return report;
}
