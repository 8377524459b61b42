import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Program, programBeside } from "../program-beside.js";
import type { Size } from "../scenarios/scenario.js";
import { MemoryFigures, type MemoryTask } from "./memory-task.js";

const QUICK_PROGRAM = programBeside(import.meta.url, "memory-process");
// From its source, also where this module is compiled into another folder: without tsx the figures would no longer compare with earlier ones.
const PROGRAM: Program = {
  path: fileURLToPath(new URL("../memory/memory-process.ts", import.meta.url)),
  execArgv: ["--import", import.meta.resolve("tsx")],
};
const PATIENCE_MS = 180_000;
/** The same on every machine, because V8 collects garbage depending on this limit. */
const HEAP_MB = 1024;

/**
 * Runs a task in a process of its own.
 *
 * @returns The memory that it took, or the fate of a process that did not finish.
 */
export async function measureMemory(
  task: MemoryTask,
  { quick }: Size = { quick: false },
  patienceMs = PATIENCE_MS,
): Promise<MemoryFigures | string> {
  const program = quick ? QUICK_PROGRAM : PROGRAM;
  const child = fork(program.path, [JSON.stringify(task)], {
    execArgv: ["--expose-gc", `--max-old-space-size=${HEAP_MB}`, ...program.execArgv],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    timeout: patienceMs,
  });
  let complaint = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const messages: unknown[] = [];
  child.on("message", (message) => messages.push(message));
  await once(child, "close");
  const [figures] = messages;
  return figures === undefined
    ? whatBecame(child.signalCode, complaint, patienceMs)
    : MemoryFigures.parse(figures);
}

function whatBecame(signal: NodeJS.Signals | null, complaint: string, patienceMs: number): string {
  if (signal === "SIGTERM") return `no end within ${patienceMs / 1_000} s`;
  if (complaint.includes("heap out of memory")) return `dies: more than ${HEAP_MB} MB of heap`;
  const [reason] = /^\w*Error: .*$/m.exec(complaint) ?? [];
  return `dies: ${reason ?? signal ?? "without a word"}`;
}
