import type { Command } from "commander";
import { formatJson } from "../output/format-json.js";
import { printable } from "../output/printable.js";
import type { CommandRuntime } from "../run/run-command.js";

/** The code of the parser's error for a command line without a command. The parser has printed the help then. */
export const NO_COMMAND = "commander.help";

/** Prints a usage error as one line on standard error, and with `--json` as a JSON document on standard output. */
export function reportUsageError(problem: string, { io, redact, json }: CommandRuntime): void {
  const message = printable(redact(problem));
  io.stderr.write(`error: ${message}\n`);
  writeUsageJson(message, { io, json });
}

/** Prints a usage error on standard output, if JSON was requested. */
export function writeUsageJson(message: string, { io, json }: Pick<CommandRuntime, "io" | "json">): void {
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
