import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { z } from "zod";
import { freePort } from "../../../test-support/free-port.js";
import { withoutNodeOptions } from "../../../test-support/without-node-options.js";
import { agentPrograms } from "./agent-programs.js";
import { type Program, runProgram, useServer } from "./run-program.js";

/** A folder of a user who has installed the package, with the programs of the agent. */
export class PlaceProject {
  readonly folder: string;
  /** The connection string of the trial's empty database. Programs find it in `DATABASE_URL`. */
  databaseUrl = "";
  readonly #node: string;

  private constructor(folder: string, node: string) {
    this.folder = folder;
    this.#node = node;
  }

  /**
   * @param folder - An existing folder.
   * @param node - The path of the Node.js that runs its programs.
   */
  static async create(folder: string, node: string): Promise<PlaceProject> {
    const project = new PlaceProject(folder, node);
    await project.write(await agentPrograms());
    return project;
  }

  /** The folder of its Node.js, with the headers for what is compiled. */
  get nodeFolder(): string {
    return dirname(dirname(this.#node));
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true });
      await writeFile(join(this.folder, name), text);
    }
  }

  async read(name: string): Promise<string> {
    return readFile(join(this.folder, name), "utf8");
  }

  /** Returns the path of a program of an installed package. */
  async bin(name: string, command = name): Promise<string> {
    const manifest = JSON.parse(await this.read(`node_modules/${name}/package.json`)) as unknown;
    const { bin } = z
      .object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) })
      .parse(manifest);
    return join("node_modules", name, typeof bin === "string" ? bin : (bin[command] ?? ""));
  }

  /** Runs a program of Node.js to its end, and returns what it has printed. Throws that, where it fails. */
  node(...args: readonly string[]): Promise<string> {
    return this.run([this.#node, ...args]);
  }

  /** Runs any program to its end, as {@link node} does. */
  run(command: Program["command"], env: NodeJS.ProcessEnv = {}): Promise<string> {
    return runProgram(this.#program(command, env));
  }

  /**
   * Runs a server of Node.js while it is used, and returns what it has printed and what the user returns.
   *
   * @param args - The arguments of Node.js, by the port that the server shall listen on. `PORT` names it too.
   */
  async serve(
    args: (port: string) => readonly string[],
    use: (origin: string) => Promise<string>,
  ): Promise<string> {
    const port = String(await freePort());
    const program = this.#program([this.#node, ...args(port)], { PORT: port });
    return useServer(program, `http://127.0.0.1:${port}`, use);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #program(command: Program["command"], env: NodeJS.ProcessEnv): Program {
    const PATH = dirname(this.#node) + delimiter + (process.env.PATH ?? "");
    return {
      folder: this.folder,
      command,
      env: { ...withoutNodeOptions(), PATH, CI: "true", DATABASE_URL: this.databaseUrl, ...env },
    };
  }
}

/** Returns the text of a page. Throws where it is an error. */
export async function textAt(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 500)}`);
  return text;
}
