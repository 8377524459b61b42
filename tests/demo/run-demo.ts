import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../examples/demo/main.ts", import.meta.url));
const LOADER = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** The result of a run of the demo. */
export interface DemoRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  /** The files that the run left in the temporary folder. */
  readonly left: readonly string[];
}

/** Runs the demo as a user would, with its own temporary folder and without a terminal. */
export async function runDemo(...args: string[]): Promise<DemoRun> {
  const folder = await mkdtemp(join(tmpdir(), "run-demo-"));
  try {
    const child = spawn(process.execPath, ["--import", LOADER, PROGRAM, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: folder, NODE_OPTIONS: "" },
    });
    const closed = once(child, "close");
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    const left = (await readdir(folder)).filter((name) => name.startsWith("langgraph-demo-"));
    return { code: child.exitCode, output, errors, left };
  } finally {
    await rm(folder, { recursive: true });
  }
}
