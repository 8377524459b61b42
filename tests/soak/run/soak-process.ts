import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { CompiledProgram } from "../../../test-support/compiled-program.js";
import { withoutNodeOptions } from "../../../test-support/without-node-options.js";
import { JournalTail } from "../../chaos/journal/journal-file.js";
import type { SoakClientOptions, SoakOrder } from "../client/soak-client-options.js";
import type { SoakEntry } from "../laws/soak-entry.js";

/** The program of the processes. */
export const CLIENT = new URL("../client/main.ts", import.meta.url);

/** How long a process has to answer what waits in it, in milliseconds. */
const EXPLAIN_MS = 5_000;

/** A process with users. It is started again whenever it ends before it is told to. */
export class SoakProcess {
  /** Its ends that nobody has asked for. */
  readonly exits: string[] = [];
  readonly journal: JournalTail<SoakEntry>;
  readonly #program: CompiledProgram;
  readonly #options: Omit<SoakClientOptions, "process">;
  readonly #number: number;
  #generation = 0;
  #child: ChildProcess | undefined;
  #isToEnd = false;

  constructor(program: CompiledProgram, number: number, options: Omit<SoakClientOptions, "process">) {
    this.#program = program;
    this.#number = number;
    this.#options = options;
    this.journal = new JournalTail<SoakEntry>(options.journal);
  }

  /** The name of the process that runs now, as in its journal. */
  get name(): string {
    return `${this.#number}.${this.#generation}`;
  }

  /** Starts it, and resolves when its users begin. */
  async start(): Promise<void> {
    this.#isToEnd = false;
    this.#generation++;
    const options = { ...this.#options, process: this.name, seed: this.#options.seed + this.#generation };
    const child = spawn(process.execPath, ["--expose-gc", ...this.#program.argv, JSON.stringify(options)], {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
      env: withoutNodeOptions(),
    });
    this.#child = child;
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-2_000)));
    child.on("exit", (code, signal) => {
      if (this.#isToEnd || this.#child !== child) return;
      this.exits.push(
        `process ${this.name} ended by itself, ${signal ?? `exit code ${code ?? "?"}`}: ${errors}`,
      );
    });
    await Promise.race([once(child, "message"), once(child, "exit")]);
  }

  /** Kills it in the middle of its calls. @returns Its name. */
  async kill(): Promise<string> {
    this.#isToEnd = true;
    const exit = this.#exit();
    this.#child?.kill("SIGKILL");
    await exit;
    return this.name;
  }

  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  /** Lets its users make a last turn, and waits until it ends. */
  async finish(): Promise<void> {
    this.#isToEnd = true;
    const exit = this.#exit();
    this.#send("finish");
    await exit;
  }

  /** What waits in it, as it says. */
  async explain(): Promise<string> {
    const child = this.#child;
    if (child?.connected !== true) return "it has ended";
    const signal = AbortSignal.timeout(EXPLAIN_MS);
    const answer = once(child, "message", { signal }).then(([message]) => JSON.stringify(message));
    this.#send("explain");
    return answer.catch(() => "it does not answer");
  }

  #send(order: SoakOrder): void {
    this.#child?.send(order, () => undefined);
  }

  async #exit(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await once(child, "exit");
  }
}
