import { CompiledQuery } from "kysely";
import { connectionStringFault } from "../../db/pool/connection-string.js";
import type { OpenedDatabase } from "../../db/open-database.js";
import { isPGliteUrl, pgliteUrlFault } from "../../db/pglite/pglite-url.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { InvalidConfigError } from "../../errors/index.js";
import { PostgresSaver } from "../../postgres-saver.js";
import type { Logger } from "../../telemetry/logger.js";
import { CliSerializer } from "../serializers/cli-serializer.js";
import type { CommandContext, CommandDefinition, OfflineContext, Report } from "../command-definition.js";
import type { CommandIO } from "../command-io.js";
import { parseCommonOptions, parsePrintOptions, parseUrl, type PrintOptions } from "../options/common-options.js";
import type { ExitCode } from "../exit-code.js";
import { explainNoConnection } from "../errors/explain-connection-error.js";
import { followTypes } from "../serializers/matching-serializer.js";
import { formatJson } from "../output/format-json.js";
import { noteSilence } from "../terminal/waiting-notice.js";
import { openUrl, type OpenUrl } from "./open-url.js";
import { printable } from "../output/printable.js";
import { reportFailure } from "../errors/report-failure.js";
import { requireFolder } from "../require-folder.js";
import { styleFor } from "../output/style.js";
import { openTerminal } from "../terminal/terminal.js";

/** What a command runs in. */
export interface CommandRuntime {
  readonly io: CommandIO;
  /** Opens the database. Default: by its connection string. */
  readonly open?: OpenUrl | undefined;
  /** Masks the passwords in a text. */
  readonly redact: (text: string) => string;
  /** Whether JSON is asked for, be the command line understood or not. */
  readonly json: boolean;
}

/** Runs a command with what was found for it, prints what it has to say, and tells how it ends. */
export async function runCommand(
  command: CommandDefinition,
  flags: unknown,
  runtime: CommandRuntime,
): Promise<ExitCode> {
  const { io, open = openUrl, redact } = runtime;
  const print = parsePrintOptions(flags);
  try {
    const context = { ...parseCommonOptions(flags), style: styleFor(io.stdout, io.env) };
    const report =
      (await command.runOffline?.(context, flags)) ??
      (await withDatabase(openerFor(command, open), parseUrl(flags, io.env), async (database) => {
        const answered = noteSilence(io, database.address());
        try {
          const within = contextFor(database, { ...context, answered }, runtime, print);
          if (command.connectsItself !== true) await connect(within);
          return await command.run(within, flags);
        } finally {
          answered();
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
  context: OfflineContext & Pick<CommandContext, "answered">,
  { io, redact }: CommandRuntime,
  { json }: PrintOptions,
): CommandContext {
  const { kysely, kyselyUntil, source } = database;
  const signal = io.signal ?? new AbortController().signal;
  const dbUntil: CommandContext["dbUntil"] = (until) => kyselyUntil?.(until) ?? kysely;
  const logger = retryNotes(io, redact);
  const openSaver: CommandContext["openSaver"] = (options, types) => {
    const serde = types === undefined ? new CliSerializer(io.env) : followTypes(types, io.env);
    // On the pool, so that a signal cancels by the protocol: behind a pooler, pg_cancel_backend may meet another client's statement.
    return new PostgresSaver(source, serde, { ...options, schema: context.schema, logger, prepare: false });
  };
  let saver: PostgresSaver | undefined;
  return {
    ...context,
    db: dbUntil(signal),
    dbUntil,
    tables: { database, schema: context.schema, retry: {}, signal },
    get saver() {
      return (saver ??= openSaver({}));
    },
    openSaver,
    signal,
    terminal: openTerminal(io, json),
  };
}

function openerFor({ makesDatabase = false }: CommandDefinition, open: OpenUrl): OpenUrl {
  return (url) => {
    try {
      if (!makesDatabase && pgliteUrlFault(url) === undefined) requireFolder(url);
      return open(url);
    } catch (error) {
      throw explainMalformedUrl(error, url);
    }
  };
}

/** Says what is wrong with it, and what that comes from most often. */
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

/** Says once why nothing happens: a saver retries for many seconds when the server goes away in the middle. */
function retryNotes({ stderr }: CommandIO, redact: CommandRuntime["redact"]): Logger {
  let isSaid = false;
  return {
    warn: (message, { error }) => {
      const why = typeof error === "string" ? `${printable(redact(error))}, trying again` : message;
      if (!isSaid) stderr.write(`${why}\n`);
      isSaid = true;
    },
  };
}

/**
 * A connection that is refused fails the command at once: whoever mistyped a port wants to know it now. Only a server that goes
 * away later is waited for.
 */
async function connect({ db, answered }: CommandContext): Promise<void> {
  try {
    await db.executeQuery(CompiledQuery.raw("select 1"));
    answered();
  } catch (error) {
    throw explainNoConnection(toDatabaseError(error));
  }
}

async function withDatabase(
  open: OpenUrl,
  url: string,
  use: (database: OpenedDatabase) => Promise<Report>,
): Promise<Report> {
  const database = open(url);
  const report = await use(database).catch(async (error: unknown) => {
    // Closing what is broken may fail too; what broke it is what should be told.
    await database.close().catch(() => undefined);
    throw error;
  });
  await database.close();
  return report;
}
