import { CommanderError } from "commander";
import type { CommandIO } from "./command-io.js";
import { createProgram } from "./run/create-program.js";
import { EXIT_CODE, type ExitCode } from "./exit-code.js";
import { hiddenTexts } from "./run/secret-texts.js";
import type { OpenUrl } from "./run/open-url.js";
import { createRedactor } from "../telemetry/redactor.js";
import { reportFailure } from "./errors/report-failure.js";
import { asksForJson, NO_COMMAND, writeUsageJson } from "./errors/report-usage-error.js";
import type { CommandRuntime } from "./run/run-command.js";

export type { CommandIO, InputStream, OutputStream } from "./command-io.js";
export type { ExitCode } from "./exit-code.js";
export { guardOutput, type OutputProcess } from "./terminal/handle-output-errors.js";
export { interruptSignal, type SignalSource } from "./terminal/interrupt-signal.js";
export type { OpenUrl } from "./run/open-url.js";

/**
 * Runs the command line `langgraph-checkpoint-kysely` in this process. It never rejects, never ends the process, and closes what
 * it opened; a password that is part of a connection string is printed nowhere.
 *
 * @param argv - The arguments, without those that name the program.
 * @param io - Where to print, and the environment; `process` fits.
 * @param open - Opens the database that a connection string describes; for running on one that is open already.
 * @returns The exit code: 0 for done or yes, 1 for failed or no, 2 for wrong usage, 130 for interrupted.
 *
 * @example
 * ```ts
 * process.exitCode = await run(["migrate", "--schema", "agents"], process);
 * ```
 */
export async function run(argv: readonly string[], io: CommandIO, open?: OpenUrl): Promise<ExitCode> {
  const { DATABASE_URL = "", PGPASSWORD = "", LANGGRAPH_AES_KEY = "" } = io.env;
  const texts = [...argv, DATABASE_URL];
  const redact = createRedactor(texts, [PGPASSWORD, LANGGRAPH_AES_KEY, ...hiddenTexts(texts)]);
  const runtime: CommandRuntime = { io, open, redact, json: asksForJson(argv) };
  let exitCode: ExitCode = EXIT_CODE.ok;
  const program = createProgram(runtime, async (command, flags) => {
    // Help and a mistyped command need no database, nor what reads one.
    const { runCommand } = await import("./run/run-command.js");
    exitCode = await runCommand(command, flags, runtime);
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    // The parser has said what there is to say: help, version, or what it does not understand.
    if (error instanceof CommanderError) return endOfParser(error, runtime);
    return reportFailure(error, { json: runtime.json, verbose: false }, io, runtime.redact);
  }
}

function endOfParser({ code, exitCode }: CommanderError, runtime: CommandRuntime): ExitCode {
  if (exitCode === 0) return EXIT_CODE.ok;
  if (code === NO_COMMAND) writeUsageJson("no command is named; --help lists them", runtime);
  return EXIT_CODE.usage;
}
