import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ProgramRun } from "../../test-support/compiled-program.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The result of a run of the demo. */
export interface DemoRun extends ProgramRun {
  /** The files that the run left in the temporary folder. */
  readonly left: readonly string[];
}

/** The demo, compiled as `npm run demo` compiles it. */
export class CompiledDemo {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async compile(): Promise<CompiledDemo> {
    const folder = await mkdtemp(join(tmpdir(), "compiled-demo-"));
    const tsdown = join(ROOT, "node_modules/tsdown/dist/run.mjs");
    const options = ["--config", "examples/demo/tsdown.config.ts", "--out-dir", folder];
    await promisify(execFile)(process.execPath, [tsdown, ...options], { cwd: ROOT });
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    return new CompiledDemo(folder);
  }

  /** Runs the demo as a user would, with its own temporary folder and without a terminal. */
  async run(...args: string[]): Promise<DemoRun> {
    const folder = await mkdtemp(join(tmpdir(), "run-demo-"));
    try {
      const child = spawn(process.execPath, [join(this.#folder, "main.mjs"), ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...withoutNodeOptions(), TMPDIR: folder },
      });
      const closed = once(child, "close");
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
      const left = (await readdir(folder)).filter((name) => name.startsWith("langgraph-demo-"));
      return { code: child.exitCode, output, errors, left };
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}
