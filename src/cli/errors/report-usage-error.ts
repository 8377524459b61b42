import type { Command } from "commander";
import type { CommandRuntime } from "../run/run-command.js";
import { formatJson } from "../output/format-json.js";

/** What the parser calls a command line that names no command, whose help it shows instead. */
export const NO_COMMAND = "commander.help";

/**
 * Prints what the parser does not understand, as one line; with `--json`, standard output has it as well, as it has every
 * other error.
 */
export function reportUsage(problem: string, { io, redact, json }: CommandRuntime): void {
  const message = redact(problem);
  io.stderr.write(`error: ${message}\n`);
  writeUsageJson(message, { io, json });
}

/** As {@link reportUsage}, where standard error has the help already. */
export function writeUsageJson(message: string, { io, json }: Pick<CommandRuntime, "io" | "json">): void {
  if (json) io.stdout.write(`${formatJson({ error: { code: "INVALID_CONFIG", message } })}\n`);
}

/** What the parser says, on one line, with what helps where it says too little. */
export function explainUsage(text: string, command: Command): string {
  const problem = text
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replace(/^error: /, "");
  return `${problem}${hintFor(problem, command)}`;
}

function hintFor(problem: string, command: Command): string {
  if (problem.startsWith("unknown option") && command.registeredArguments.length > 0) {
    return "; an id that begins with a dash goes to the end, behind --";
  }
  if (problem.startsWith("too many arguments") && command.commands.length > 0) {
    const names = command.commands.map((subcommand) => subcommand.name());
    return ` Its commands are: ${names.join(", ")}`;
  }
  return "";
}

/** Whether the command line asks for JSON, which must be known where the parser gives up. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}
