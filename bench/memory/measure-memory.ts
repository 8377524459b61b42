import { fork } from "node:child_process";
import { once } from "node:events";
import { programBeside } from "../program-beside.js";
import { MemoryFigures, type MemoryTask } from "./memory-task.js";

/** The source, also where this module is compiled: a compiled process starts with less memory, so its figures would not compare with earlier ones. */
const SOURCE = new URL("../memory/measure-memory.ts", import.meta.url).href;
const PATIENCE_MS = 180_000;
/** The same on every machine, because V8 collects garbage depending on this limit. */
const HEAP_MB = 1024;

/**
 * Runs a task in a process of its own.
 *
 * @param options.quick - Whether the figures need not compare with those of other runs.
 * @param options.patienceMs - The time after which the process is killed, in milliseconds.
 * @returns The memory that it took, or the fate of a process that did not finish.
 */
export async function measureMemory(
  task: MemoryTask,
  { quick = false, patienceMs = PATIENCE_MS }: { quick?: boolean; patienceMs?: number } = {},
): Promise<MemoryFigures | string> {
  const { path, execArgv } = programBeside(quick ? import.meta.url : SOURCE, "memory-process");
  const child = fork(path, [JSON.stringify(task)], {
    execArgv: ["--expose-gc", `--max-old-space-size=${HEAP_MB}`, ...execArgv],
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
