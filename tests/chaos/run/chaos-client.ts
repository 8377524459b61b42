import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ClientOptions, ClientOrder } from "../client/client-options.js";

const PROGRAM = fileURLToPath(new URL("../client/main.ts", import.meta.url));
const LOADER = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
/** How long the calls under way may take when the load is told to stop. */
const STOP_MS = 30_000;

/** The process of the load: started, killed, and started again where it has ended by itself. */
export class ChaosClient {
  /** How the process ended that nobody had killed or stopped. */
  readonly exits: string[] = [];
  readonly #options: Omit<ClientOptions, "generation">;
  #generation = 0;
  #child: ChildProcess | undefined;
  #isToEnd = false;

  constructor(options: Omit<ClientOptions, "generation">) {
    this.#options = options;
  }

  /** Starts a process, and resolves when it begins to make calls. */
  async start(): Promise<void> {
    this.#isToEnd = false;
    const argument = JSON.stringify({ ...this.#options, generation: ++this.#generation });
    const child = spawn(process.execPath, ["--import", LOADER, PROGRAM, argument], {
      stdio: ["ignore", "inherit", "pipe", "ipc"],
      // Jest's options are not for this process.
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    this.#child = child;
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-2_000);
    });
    child.on("exit", (code, signal) => {
      if (this.#child !== child || this.#isToEnd) return;
      this.exits.push(`${signal ?? `exit code ${code ?? "?"}`}: ${errors}`);
      void this.start();
    });
    // One that ends before is started anew by the listener above.
    await Promise.race([once(child, "message"), once(child, "exit")]);
  }

  /** Kills the process in the middle of whatever it does. */
  async kill(): Promise<void> {
    await this.#end((child) => child.kill("SIGKILL"));
  }

  /** Takes all of its connections away from the saver for a while. */
  async exhaustPool(forMs: number): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const done = once(child, "message");
    tell(child, { order: "exhaust", forMs });
    await done;
  }

  /** Lets the process finish its calls. @returns Whether it has done so. */
  async stop(): Promise<boolean> {
    const child = this.#child;
    const timer = setTimeout(() => child?.kill("SIGKILL"), STOP_MS);
    await this.#end((running) => {
      tell(running, { order: "stop" });
    });
    clearTimeout(timer);
    return child?.signalCode === null;
  }

  async #end(how: (child: ChildProcess) => unknown): Promise<void> {
    const child = this.#child;
    this.#isToEnd = true;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    how(child);
    await exit;
  }
}

function tell(child: ChildProcess, order: ClientOrder): void {
  child.send(order);
}
