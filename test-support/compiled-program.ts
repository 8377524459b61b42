import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Rolldown } from "tsdown";
import { withoutNodeOptions } from "./without-node-options.js";

const NODE_MODULES = fileURLToPath(new URL("../node_modules", import.meta.url));
/**
 * Any package but those that consist of hundreds of files, and the one whose functions the compiler adds for older versions of
 * Node.js.
 */
const PACKAGE = /^(?!@oxc-project\/|@langchain\/|kysely|zod)[@\w]/;
/** Less than a test may take, so that its failure says what the program has printed. */
const RUN_MS = 120_000;

/** The result of a run. */
export interface ProgramRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * A TypeScript program that tests run in processes of its own. It is compiled into one file and its chunks, because a process loads
 * these in half the time of all its modules. It finds the other packages in the checkout.
 */
export class CompiledProgram {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param external - The packages that are not compiled into the file, but loaded as they are. */
  static async compile(program: URL, external = PACKAGE): Promise<CompiledProgram> {
    const compiled = new CompiledProgram(await mkdtemp(join(tmpdir(), "compiled-program-")));
    await Rolldown.build({
      input: { program: fileURLToPath(program) },
      platform: "node",
      external,
      transform: { target: `node${process.versions.node}` },
      output: { dir: compiled.#folder, entryFileNames: "[name].mjs", sourcemap: true },
    });
    await symlink(NODE_MODULES, join(compiled.#folder, "node_modules"));
    return compiled;
  }

  get #file(): string {
    return join(this.#folder, "program.mjs");
  }

  /** The arguments of Node.js that run the program. Stack traces name its sources, and `node:sqlite` warns nobody. */
  get argv(): readonly string[] {
    return ["--enable-source-maps", "--disable-warning=ExperimentalWarning", this.#file];
  }

  /** Starts a process. */
  start(...args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
    return spawn(process.execPath, [...this.argv, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: withoutNodeOptions(),
    });
  }

  /** Runs a process to its end, or kills it after two minutes. */
  run(...args: readonly string[]): Promise<ProgramRun> {
    return new Promise((resolve) => {
      const options = { env: withoutNodeOptions(), timeout: RUN_MS };
      const child = execFile(process.execPath, [...this.argv, ...args], options, (_error, output, errors) => {
        resolve({ code: child.exitCode, output, errors });
      });
    });
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
