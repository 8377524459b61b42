import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { z } from "zod";
import { waitFor } from "../chaos/clock.js";
import { endProcess } from "../chaos/run/client-process.js";
import { withoutNodeOptions } from "../../test-support/without-node-options.js";

/** The password of the inspector in tests. */
export const TOKEN = "a-token-of-the-tests";

/** Collects garbage on a signal, so that what is left of the heap is in use. */
const COLLECT = ["--expose-gc", "--import", 'data:text/javascript,process.on("SIGUSR2",()=>gc())'];
const START_MS = 60_000;
const LAST_LINES = 40;

const LogLine = z.looseObject({ message: z.string(), url: z.string().optional() });
export type LogLine = z.infer<typeof LogLine>;

/** A process of the example. */
export class ServiceProcess {
  /** The ends of the process that nobody had asked for, with the last lines that it printed. */
  readonly exits: string[] = [];
  /** What the running process has logged last. */
  readonly lines: LogLine[] = [];
  readonly #main: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcessByStdio<null, Readable, Readable> | undefined;
  #isToEnd = false;

  /**
   * @param main - The program.
   * @param settings - Variables of its environment.
   */
  constructor(main: string, settings: NodeJS.ProcessEnv) {
    this.#main = main;
    this.#env = { ...withoutNodeOptions(), INSPECTOR_TOKEN: TOKEN, PORT: "0", ...settings };
  }

  /** Where the running process listens. */
  get url(): string {
    return this.logged("listening")?.url ?? "";
  }

  /** The first line with a message. */
  logged(message: string): LogLine | undefined {
    return this.lines.find((line) => line.message === message);
  }

  /** Starts the process, and resolves when it listens. After an unexpected end it starts again. */
  async start(): Promise<void> {
    this.#isToEnd = false;
    this.lines.length = 0;
    const child = spawn(process.execPath, [...COLLECT, this.#main], {
      stdio: ["ignore", "pipe", "pipe"],
      env: this.#env,
    });
    this.#child = child;
    const last: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        last.push(line);
        last.splice(0, last.length - LAST_LINES);
        if (this.#child === child) this.#note(line);
      });
    }
    child.on("exit", (code, signal) => {
      if (this.#child !== child || this.#isToEnd) return;
      this.exits.push(`${signal ?? `exit code ${code ?? "?"}`}: ${last.join("\n")}`);
      void this.start();
    });
    const isUp = await waitFor(() => (this.url === "" ? undefined : true), START_MS);
    if (isUp === undefined) throw new Error(`the service did not start:\n${last.join("\n")}`);
  }

  /** Sends a signal that ends the process. @returns The exit code; null where a signal has ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#isToEnd = true;
    await endProcess(this.#child, (child) => child.kill(signal));
    return this.#child?.exitCode ?? null;
  }

  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Sends a signal that does not end the process, such as SIGSTOP. */
  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  #note(line: string): void {
    if (!line.startsWith("{")) return;
    const { data } = LogLine.safeParse(JSON.parse(line));
    if (data !== undefined && this.lines.length < LAST_LINES) this.lines.push(data);
  }
}
