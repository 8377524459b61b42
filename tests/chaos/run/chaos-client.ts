import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { CompiledProgram } from "../../../test-support/compiled-program.js";
import type { ClientOptions, ClientOrder } from "../client/client-options.js";
import { endProcess, startClientProcess } from "./client-process.js";

/** The program of the process. */
export const CLIENT = new URL("../client/main.ts", import.meta.url);
const BUILDS = ["index.js", "index.cjs"].map(
  (file) => new URL(`../../../dist/${file}`, import.meta.url).href,
);
/** How long pending calls may take when the load stops. */
const STOP_MS = 30_000;
/** How far the clock of every second process is behind at first: less than a read waits for by default. */
const CLOCK_BEHIND_MS = 1_000;

/** The options that differ from process to process. */
type OwnOptions = "builds" | "generation" | "clockBehindMs";

/** Starts and kills the process of the load, and restarts it after an unexpected exit. */
export class ChaosClient {
  /** The unexpected exits of the process. */
  readonly exits: string[] = [];
  readonly #program: CompiledProgram;
  readonly #options: Omit<ClientOptions, OwnOptions>;
  #generation = 0;
  #child: ChildProcess | undefined;
  #isToEnd = false;

  constructor(program: CompiledProgram, options: Omit<ClientOptions, OwnOptions>) {
    this.#program = program;
    this.#options = options;
  }

  /** Starts a process, and resolves when it starts to make calls. */
  async start(): Promise<void> {
    this.#isToEnd = false;
    const generation = ++this.#generation;
    const clockBehindMs = generation % 2 === 0 ? CLOCK_BEHIND_MS : undefined;
    const options = { ...this.#options, builds: BUILDS, generation, clockBehindMs };
    const { child, started } = startClientProcess(this.#program, options, {
      onExit: (ended, how) => {
        if (this.#child !== ended || this.#isToEnd) return;
        this.exits.push(how);
        void this.start();
      },
    });
    this.#child = child;
    // A process that exits before has been restarted.
    await started;
  }

  /** Kills the process in the middle of its calls. */
  async kill(): Promise<void> {
    await this.#end((child) => child.kill("SIGKILL"));
  }

  /** Takes all connections away from the saver for a while. */
  async exhaustPool(forMs: number): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const done = once(child, "message");
    sendOrder(child, { order: "exhaust", forMs });
    await done;
  }

  /** Lets the process finish its calls. @returns Whether it finished them in time. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    const timer = setTimeout(() => child?.kill("SIGKILL"), STOP_MS);
    await this.#end((running) => {
      sendOrder(running, { order: "stop" });
    });
    clearTimeout(timer);
    return child?.signalCode === null;
  }

  async #end(how: (child: ChildProcess) => unknown): Promise<void> {
    this.#isToEnd = true;
    await endProcess(this.#child, how);
  }
}

function sendOrder(child: ChildProcess, order: ClientOrder): void {
  child.send(order);
}
