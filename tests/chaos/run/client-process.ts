import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { CompiledProgram } from "../../../test-support/compiled-program.js";
import { withoutNodeOptions } from "../../../test-support/without-node-options.js";

/** How much of what a process printed last is told when it ends. */
const LAST_CHARACTERS = 2_000;

/** A process under load. */
export interface ClientProcess {
  readonly child: ChildProcess;
  /** Resolves with its first message, or when it has ended before. */
  readonly started: Promise<unknown>;
}

/**
 * Starts a process with a channel for messages.
 *
 * @param options - Its argument, as JSON.
 * @param onExit - Called when it ends, with how it ended and what it last printed to standard error.
 */
export function startClientProcess(
  program: CompiledProgram,
  options: object,
  {
    flags = [],
    onExit,
  }: { readonly flags?: readonly string[]; onExit: (child: ChildProcess, how: string) => void },
): ClientProcess {
  const child = spawn(process.execPath, [...flags, ...program.argv, JSON.stringify(options)], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    env: withoutNodeOptions(),
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-LAST_CHARACTERS);
  });
  child.on("exit", (code, signal) => {
    onExit(child, `${signal ?? `exit code ${code ?? "?"}`}: ${errors}`);
  });
  return { child, started: Promise.race([once(child, "message"), once(child, "exit")]) };
}

/** Lets a process end in the way that `how` says, and waits for its end. Does nothing if it has ended. */
export async function endProcess(
  child: ChildProcess | undefined,
  how: (child: ChildProcess) => unknown,
): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  how(child);
  await exit;
}
