import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than anything here takes on a busy machine. */
const LONGEST_MS = 240_000;
const PAUSE_MS = 200;

const running = new Set<ChildProcess>();

/** Ends the programs that run, for a process that ends before them. */
export function endPrograms(): void {
  for (const child of running) end(child);
}

/** How a program is started. */
export interface Program {
  readonly folder: string;
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a program to its end, and returns what it has printed. Throws that, where it fails. */
export async function runProgram(program: Program): Promise<string> {
  const { child, output } = start(program);
  const timeout = setTimeout(() => {
    end(child);
  }, LONGEST_MS);
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timeout);
  if (code === 0) return output();
  throw new Error(`${program.command.join(" ")} ended with ${code ?? signal ?? "an error"}:\n${output()}`);
}

/**
 * Runs a server while it is used, and returns what it has printed and what the user returns.
 *
 * @param origin - Where it listens. It has started once it answers there.
 */
export async function useServer(
  program: Program,
  origin: string,
  use: (origin: string) => Promise<string>,
): Promise<string> {
  const { child, output } = start(program);
  const closed = once(child, "close");
  try {
    await untilAnswering(child, origin);
    const answer = await use(origin);
    return output() + answer;
  } catch (error) {
    throw new Error(`${program.command.join(" ")}: ${String(error)}\n${output()}`, { cause: error });
  } finally {
    end(child);
    await closed;
  }
}

/** In a group of its own, so that its children end with it, but not with this process. */
function start({ folder, command: [program, ...args], env }: Program) {
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.on("close", () => running.delete(child));
  let printed = "";
  child.on("error", ({ message }) => {
    printed += message;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  return { child, output: () => printed };
}

async function untilAnswering(child: ChildProcess, origin: string): Promise<void> {
  for (let waited = 0; waited < LONGEST_MS; waited += PAUSE_MS) {
    if (child.exitCode !== null) throw new Error("It ended before it answered");
    const answer = await fetch(origin).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined) return;
    await sleep(PAUSE_MS);
  }
  throw new Error(`It does not answer at ${origin}`);
}

function end({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // It has just ended by itself.
  }
}
