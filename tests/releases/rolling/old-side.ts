import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { withoutNodeOptions } from "../../../test-support/without-node-options.js";
import type { ConsumerProject } from "../../package/consumer-project.js";
import { installFixture } from "../fixture.js";
import type { Abilities, Side } from "./side.js";

/** The methods of a side that another process can call. */
export type Method = Exclude<keyof Side, "abilities">;

/** Opens the side of a process. */
export interface Opening {
  readonly url: string;
  readonly splices: boolean;
  readonly tombstones: boolean;
}

/** A call of a method. */
export interface Call {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

/** The result of a call. */
export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** The program of an old process, compiled once. */
let program: Promise<string> | undefined;

async function compileProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("old-process.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
    logLevel: "error",
  });
  return outputFiles.map(({ text }) => text).join("");
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A process that has an earlier version of the package. */
export class OldProcess {
  readonly #project: ConsumerProject;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;

  private constructor(project: ConsumerProject, child: ChildProcess) {
    this.#project = project;
    this.#child = child;
    child.on("message", (answer: Answer) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
    child.on("exit", () => {
      const error = new Error("The process of the earlier version has ended");
      for (const { reject } of this.#waiting.values()) reject(error);
    });
  }

  /** @param name - The fixture whose package the process has. */
  static async start(name: string): Promise<OldProcess> {
    const project = await installFixture(name);
    const file = join(project.folder, "old-process.mjs");
    program ??= compileProgram();
    await project.write("old-process.mjs", await program);
    const child = fork(file, [project.packageFolder], {
      serialization: "advanced",
      env: withoutNodeOptions(),
      execArgv: [],
    });
    return new OldProcess(project, child);
  }

  /** Opens the side of the process, and returns what its version can do. */
  async open(opening: Opening): Promise<Abilities> {
    return (await this.#answer(opening)) as Abilities;
  }

  /** Returns the side of the process: each method runs there. */
  get side(): Pick<Side, Method> {
    const call =
      <Name extends Method>(method: Name) =>
      (...args: Parameters<Side[Name]>) =>
        this.#answer({ id: ++this.#calls, method, args }) as ReturnType<Side[Name]>;
    return {
      setup: call("setup"),
      append: call("append"),
      appendUnread: call("appendUnread"),
      write: call("write"),
      read: call("read"),
      readAll: call("readAll"),
      remove: call("remove"),
      lock: call("lock"),
      unlock: call("unlock"),
      putItem: call("putItem"),
      readItem: call("readItem"),
      setEntry: call("setEntry"),
      readEntry: call("readEntry"),
      end: call("end"),
    };
  }

  /** Ends the process. */
  async end(): Promise<void> {
    const exited = once(this.#child, "exit");
    await this.side.end();
    this.#child.disconnect();
    await exited;
    await this.#project.remove();
  }

  async #answer(message: Call | Opening): Promise<unknown> {
    const { value, error } = await new Promise<Answer>((resolve, reject) => {
      this.#waiting.set("url" in message ? 0 : message.id, { resolve, reject });
      this.#child.send(message);
    });
    if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
    return value;
  }
}
