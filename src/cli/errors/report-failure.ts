import { types } from "node:util";
import {
  AbortError,
  CheckpointError,
  InvalidConfigError,
  PermissionError,
  ThreadDeletedError,
} from "../../errors/index.js";
import { type CommandIO, EXIT_CODE, type ExitCode } from "../command-io.js";
import type { PrintOptions } from "../options/common-options.js";
import { formatJson } from "../output/format-value.js";
import { ClosedPipeError } from "./output-error.js";
import { printable, printableLines, shellWord } from "../output/printable.js";
import { styleFor } from "../output/style.js";
import type { Command } from "commander";

/**
 * Prints an error as one line on standard error, and returns the exit code. With `verbose`, the stacks of the error and all
 * its causes follow. With `json`, the error is also printed to standard output, which is then always a JSON document.
 *
 * @param redact - Masks passwords in a text.
 */
export function reportFailure(
  thrown: unknown,
  { json, verbose }: PrintOptions,
  io: CommandIO,
  redact: (text: string) => string,
): ExitCode {
  if (thrown instanceof ClosedPipeError) return EXIT_CODE.no;
  const error = withRemedy(thrown);
  const message = printable(redact(messageOf(error)).replaceAll(/\s*[\r\n]+\s*/g, " "));
  io.stderr.write(`${styleFor(io.stderr, io.env).bad("error:")} ${message}\n`);
  if (verbose) io.stderr.write(`${printableLines(redact(stacksOf(error).join("\ncaused by: ")))}\n`);
  if (json) io.stdout.write(`${formatJson({ error: { code: publicCodeOf(error), message } })}\n`);
  return exitCodeOf(error);
}

function exitCodeOf(error: unknown): ExitCode {
  if (publicCodeOf(error) === "ABORTED") return EXIT_CODE.interrupted;
  return error instanceof InvalidConfigError ? EXIT_CODE.usage : EXIT_CODE.no;
}

function withRemedy(error: unknown): unknown {
  if (error instanceof AbortError) return new CheckpointError(error.code, "interrupted", { cause: error });
  if (error instanceof ThreadDeletedError) {
    const lift = `tombstones lift ${shellWord(error.threadId ?? "")}`;
    return remedied(error, `\`${lift}\` allows writes to it again`);
  }
  // An error of @langchain/langgraph-checkpoint, which the application and this package may have in several copies.
  if (isError(error) && error.name === "InvalidNamespaceError") {
    return new InvalidConfigError("namespace", error.message, { cause: error });
  }
  return error instanceof PermissionError
    ? remedied(error, "`doctor` lists the privileges that the role lacks")
    : error;
}

function remedied(error: CheckpointError, remedy: string): CheckpointError {
  return new CheckpointError(error.code, `${error.message}; ${remedy}`, { cause: error });
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message || error.name : String(error);
}

function publicCodeOf(error: unknown): string {
  return error instanceof CheckpointError ? error.code : "UNEXPECTED";
}

function stacksOf(error: unknown): string[] {
  return causesOf(error).map((cause) => (isError(cause) ? (cause.stack ?? cause.message) : String(cause)));
}

/** The error, its cause, the cause of that, and so on. Stops at a circular reference. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (next !== undefined && !chain.includes(next)) {
    chain.push(next);
    next = isError(next) ? next.cause : undefined;
  }
  return chain;
}

// In a VM context, as in jest, Node's own errors are not instances of this realm's Error.
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}

/** Where a usage error is printed, and how. */
export interface UsageOutput {
  readonly io: CommandIO;
  /** Masks passwords in a text. */
  readonly redact: (text: string) => string;
  /** Whether JSON was requested. Known even if the command line can't be parsed. */
  readonly json: boolean;
}

/** The code of the parser's error for a command line without a command. The parser has printed the help then. */
export const NO_COMMAND = "commander.help";

/** Prints a usage error as one line on standard error, and with `--json` as a JSON document on standard output. */
export function reportUsageError(problem: string, { io, redact, json }: UsageOutput): void {
  const message = printable(redact(problem));
  io.stderr.write(`error: ${message}\n`);
  writeUsageJson(message, { io, json });
}

/** Prints a usage error on standard output, if JSON was requested. */
export function writeUsageJson(message: string, { io, json }: Omit<UsageOutput, "redact">): void {
  if (json) io.stdout.write(`${formatJson({ error: { code: "INVALID_CONFIG", message } })}\n`);
}

/** Puts the message of the parser on one line, and adds a hint if there is one. */
export function explainUsageError(text: string, command: Command): string {
  const problem = text
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/^error: /, "");
  return `${problem}${hintFor(problem, command)}`;
}

function hintFor(problem: string, command: Command): string {
  if (problem.startsWith("unknown option") && command.registeredArguments.length > 0) {
    return "; put an id that starts with a dash at the end, after --";
  }
  if (problem.startsWith("too many arguments") && command.commands.length > 0) {
    const names = command.commands.map((subcommand) => subcommand.name());
    return ` Subcommands: ${names.join(", ")}`;
  }
  return "";
}

/** Whether the arguments request JSON. Needed before parsing, for the errors of the parser. */
export function requestsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
