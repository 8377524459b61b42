import type { CommandContext, CommandDefinition, Report } from "./command-definition.js";
import type { CommandIO } from "./command-io.js";
import { parseCommonOptions, parsePrintOptions, parseUrl } from "./common-options.js";
import type { ExitCode } from "./exit-code.js";
import type { OpenUrl } from "./open-url.js";
import { reportFailure } from "./report-failure.js";
import { styleFor } from "./style.js";

/** What a command runs in. */
export interface CommandRuntime {
  readonly io: CommandIO;
  readonly open: OpenUrl;
  /** Masks the passwords in a text. */
  readonly redact: (text: string) => string;
}

/** Runs a command with the options that were found for it, prints what it has to say, and tells how it ends. */
export async function runCommand(
  command: CommandDefinition,
  options: unknown,
  { io, open, redact }: CommandRuntime,
): Promise<ExitCode> {
  const print = parsePrintOptions(options);
  try {
    const context = { ...parseCommonOptions(options), style: styleFor(io.stdout, io.env) };
    const report =
      command.runOffline?.(context, options) ??
      (await withDatabase(open, parseUrl(options, io.env), (db) => command.run({ ...context, db }, options)));
    io.stdout.write(`${print.json ? JSON.stringify(report.json) : report.text}\n`);
    return report.exitCode;
  } catch (error) {
    return reportFailure(error, print, io, redact);
  }
}

async function withDatabase(
  open: OpenUrl,
  url: string,
  use: (db: CommandContext["db"]) => Promise<Report>,
): Promise<Report> {
  const database = open(url);
  const report = await use(database.kysely).catch(async (error: unknown) => {
    // Closing what is broken may fail too; what broke it is what should be told.
    await database.close().catch(() => undefined);
    throw error;
  });
  await database.close();
  return report;
}
