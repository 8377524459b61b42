import { types } from "node:util";
import {
  AbortError,
  CheckpointError,
  InvalidConfigError,
  PermissionError,
  ThreadDeletedError,
} from "../../errors/index.js";
import type { CommandIO } from "../command-io.js";
import type { PrintOptions } from "../options/common-options.js";
import { EXIT_CODE, type ExitCode } from "../exit-code.js";
import { formatJson } from "../output/format-json.js";
import { ClosedPipeError } from "./output-error.js";
import { printable, printableLines } from "../output/printable.js";
import { shellWord } from "../output/shell-word.js";
import { styleFor } from "../output/style.js";

/**
 * Prints an error as one line, without its stack, and tells how the command ends. With `verbose`, the stack and those of
 * all causes follow; with `json`, standard output has the error as well, so that it is a JSON document in any case.
 *
 * @param redact - Masks the passwords in what is printed.
 */
export function reportFailure(
  thrown: unknown,
  { json, verbose }: PrintOptions,
  io: CommandIO,
  redact: (text: string) => string,
): ExitCode {
  if (thrown instanceof ClosedPipeError) return EXIT_CODE.no;
  const error = explain(thrown);
  const message = printable(redact(messageOf(error)).replaceAll(/\s*[\r\n]+\s*/g, " "));
  io.stderr.write(`${styleFor(io.stderr, io.env).bad("error:")} ${message}\n`);
  if (verbose) io.stderr.write(`${printableLines(redact(stacksOf(error).join("\ncaused by: ")))}\n`);
  if (json) io.stdout.write(`${formatJson({ error: { code: codeOf(error), message } })}\n`);
  return exitCodeOf(error);
}

function exitCodeOf(error: unknown): ExitCode {
  if (codeOf(error) === "ABORTED") return EXIT_CODE.interrupted;
  return error instanceof InvalidConfigError ? EXIT_CODE.usage : EXIT_CODE.no;
}

function explain(error: unknown): unknown {
  if (error instanceof AbortError) return new CheckpointError(error.code, "interrupted", { cause: error });
  if (error instanceof ThreadDeletedError) {
    const lift = `tombstones lift ${shellWord(error.threadId ?? "")}`;
    return new CheckpointError(error.code, `${error.message} for good; \`${lift}\` allows it again`, {
      cause: error,
    });
  }
  if (!(error instanceof PermissionError)) return error;
  return new CheckpointError(error.code, `${error.message}; doctor says what the role lacks`, {
    cause: error,
  });
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message || error.name : String(error);
}

function codeOf(error: unknown): string {
  return error instanceof CheckpointError ? error.code : "UNEXPECTED";
}

function stacksOf(error: unknown): string[] {
  return causesOf(error).map((cause) => (isError(cause) ? (cause.stack ?? cause.message) : String(cause)));
}

/** The error, its cause, and so on; each once, should they go round in a circle. */
function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (next !== undefined && !chain.includes(next)) {
    chain.push(next);
    next = isError(next) ? next.cause : undefined;
  }
  return chain;
}

// Node's own errors come from another realm where a program runs in a VM context.
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}
