import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { CompiledProgram } from "../../../test-support/compiled-program.js";
import { JournalTail } from "../../chaos/journal/journal-file.js";
import { endProcess, startClientProcess } from "../../chaos/run/client-process.js";
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
    const { child, started } = startClientProcess(this.#program, options, {
      flags: ["--expose-gc"],
      onExit: (ended, how) => {
        if (this.#isToEnd || this.#child !== ended) return;
        this.exits.push(`process ${this.name} ended by itself, ${how}`);
      },
    });
    this.#child = child;
    await started;
  }

  /** Kills it in the middle of its calls. @returns Its name. */
  async kill(): Promise<string> {
    this.#isToEnd = true;
    await endProcess(this.#child, (child) => child.kill("SIGKILL"));
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
    await endProcess(this.#child, () => {
      this.#send("finish");
    });
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
}
