import { CommanderError } from "commander";
import { createRedactor } from "../telemetry/redactor.js";
import { type CommandIO, EXIT_CODE, type ExitCode } from "./command-io.js";
import { reportFailure, NO_COMMAND, requestsJson, writeUsageJson } from "./errors/report-failure.js";
import { createProgram } from "./run/create-program.js";
import type { OpenUrl } from "./run/open-url.js";
import type { CommandRuntime } from "./run/run-command.js";
import { secretTexts } from "./run/secret-texts.js";

export type { CommandIO, InputStream, OutputStream } from "./command-io.js";
export type { ExitCode } from "./command-io.js";
export type { OpenUrl } from "./run/open-url.js";
export { handleOutputErrors, type OutputProcess } from "./errors/output-error.js";
export { interruptSignal, type SignalSource } from "./command-io.js";

/**
 * Runs a command line of `langgraph-checkpoint-kysely` in this process. It never rejects, never ends the process, closes every
 * database that it opens, and prints no password of a connection string.
 *
 * @param argv - The arguments, without the runtime and the name of the program.
 * @param io - The streams and the environment. `process` fits.
 * @param open - Opens the database of a connection string. Pass it to run on a database that is open already.
 * @returns The exit code: 0 for success or yes, 1 for failure or no, 2 for invalid usage, 130 for interrupted.
 *
 * @example
 * ```ts
 * process.exitCode = await run(["migrate", "--schema", "agents"], process);
 * ```
 */
export async function run(argv: readonly string[], io: CommandIO, open?: OpenUrl): Promise<ExitCode> {
  const { DATABASE_URL = "", PGPASSWORD = "", LANGGRAPH_AES_KEY = "" } = io.env;
  const texts = [...argv, DATABASE_URL];
  const redact = createRedactor(texts, [PGPASSWORD, LANGGRAPH_AES_KEY, ...secretTexts(texts)]);
  const runtime: CommandRuntime = { io, open, redact, json: requestsJson(argv) };
  let exitCode: ExitCode = EXIT_CODE.ok;
  const program = createProgram(runtime, async (command, flags) => {
    // Imported here, since help and usage errors need no database driver.
    const { runCommand } = await import("./run/run-command.js");
    exitCode = await runCommand(command, flags, runtime);
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    // The parser has printed its error, the help or the version.
    if (error instanceof CommanderError) return exitCodeOfParser(error, runtime);
    return reportFailure(error, { json: runtime.json, verbose: false }, io, runtime.redact);
  }
}

function exitCodeOfParser({ code, exitCode }: CommanderError, runtime: CommandRuntime): ExitCode {
  if (exitCode === 0) return EXIT_CODE.ok;
  if (code === NO_COMMAND) writeUsageJson("no command given; see --help", runtime);
  return EXIT_CODE.usage;
}
