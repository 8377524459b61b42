import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

/** Whether libfaketime is installed, which shifts the clock of a process. */
export async function hasFaketime(): Promise<boolean> {
  try {
    await promisify(execFile)("faketime", ["--version"]);
    return true;
  } catch {
    return false;
  }
}

/** A Node program that waits for a line of input. */
export interface WaitingProgram {
  /** Lets it go on, and returns the line that it prints next. */
  goOn(): Promise<string>;
  /** Ends its input, and resolves when it has ended. */
  end(): Promise<void>;
}

/**
 * Starts a Node program on a clock that is behind, and waits until it prints a line.
 *
 * @param args - The file and its arguments.
 */
export async function startOnShiftedClock(
  cwd: string,
  behindSeconds: number,
  args: readonly string[],
): Promise<WaitingProgram> {
  const child = spawn("faketime", ["-m", "-f", `-${behindSeconds}s`, process.execPath, ...args], {
    cwd,
    // Only the time of the day is shifted: timers measure time as before.
    env: { ...withoutNodeOptions(), FAKETIME_DONT_FAKE_MONOTONIC: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value } = (await lines.next()) as IteratorResult<string, undefined>;
    if (value === undefined) throw new Error("the program has ended");
    return value;
  };
  await nextLine();
  return {
    goOn: () => {
      child.stdin.end("\n");
      return nextLine();
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
