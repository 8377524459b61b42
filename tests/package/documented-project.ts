import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { transform } from "esbuild";
import { ConsumerProject, pack, ROOT, runNode, UNOPTIMIZED_PGLITE } from "./consumer-project.js";
import type { DocumentedProgram } from "./documented-programs.js";
import { TSC } from "./installed-package.js";

/** The packages that README.md and docs/ tell readers to install, and their types. */
const INSTALLED = [
  ...["@langchain/core", "@langchain/langgraph", "@langchain/langgraph-checkpoint", "kysely", "pg", "zod"],
  ...[
    "@electric-sql/pglite",
    "@electric-sql/pglite-pgvector",
    "redis",
    "msgpackr",
    "commander",
    "cli-progress",
    "cli-table3",
  ],
  ...["@opentelemetry/api", "@opentelemetry/sdk-metrics", "@opentelemetry/sdk-trace-base"],
  ...["@types/node", "@types/pg", "express", "@types/express", "hono"],
  ...["langchain", "@langchain/langgraph-api", "@hono/node-server"],
];
/** The runner prints this for a program that ran without an error. */
export const RAN = "null";
/** Compiling and running programs may take this long on a busy machine. */
export const TIMEOUT_MS = 240_000;

/** The project of a reader, who has installed the package and copied programs from the documents. */
export class DocumentedProject {
  readonly #project: ConsumerProject;

  private constructor(project: ConsumerProject) {
    this.#project = project;
  }

  static async create(programs: readonly DocumentedProgram[]): Promise<DocumentedProject> {
    const project = await ConsumerProject.create(await pack(), INSTALLED);
    const compilerOptions = {
      ...{ strict: true, skipLibCheck: true, noUnusedLocals: true, types: ["node"] },
      ...{ target: "es2022", module: "nodenext", moduleResolution: "nodenext" },
    };
    const files = programs.map(({ file }) => file).filter((file) => file.endsWith(".mts"));
    await project.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    await project.write("package.json", JSON.stringify({ type: "module" }));
    for (const { file, code } of programs) await project.write(file, code);
    return new DocumentedProject(project);
  }

  /** Returns the errors of types in the programs. */
  async check(): Promise<string> {
    const options = ["--noEmit", "--singleThreaded", "--pretty", "false"];
    const { output } = await runNode(this.#project.folder, TSC, ...options);
    return output;
  }

  /**
   * Compiles programs beside their sources without a check of types, and runs them one after another.
   *
   * @param databases - The connection strings, by the names of the documents.
   * @returns The place of each program, and {@link RAN} or what went wrong.
   */
  async run(
    programs: readonly DocumentedProgram[],
    databases: ReadonlyMap<string, string>,
  ): Promise<[place: string, outcome: string][]> {
    await Promise.all(programs.map((program) => this.#compile(program)));
    const runs = programs.map(({ document, file, urls }) => ({
      file: join(this.#project.folder, compiledName(file)),
      env: {
        DATABASE_URL: databases.get(document),
        CHECKPOINT_KEY_1: randomKey(),
        ...(process.env.CHECKPOINT_TEST_REDIS !== undefined && {
          REDIS_URL: process.env.CHECKPOINT_TEST_REDIS,
        }),
      },
      urls,
    }));
    const runner = join(ROOT, "tests/package/run-programs.js");
    const { output } = await runNode(this.#project.folder, UNOPTIMIZED_PGLITE, runner, JSON.stringify(runs));
    const outcomes = output.split("\n").filter((line) => line === RAN || line.startsWith('"'));
    return programs.map(({ place }, index) => [place, outcomes[index] ?? output]);
  }

  remove(): Promise<void> {
    return this.#project.remove();
  }

  async #compile({ file, code }: DocumentedProgram): Promise<void> {
    const compiled = await transform(code, { loader: "ts", target: "es2022" });
    await this.#project.write(compiledName(file), compiled.code);
  }
}

function compiledName(file: string): string {
  return file.replace(/\.mts$/, ".mjs");
}

function randomKey(): string {
  return randomBytes(32).toString("base64");
}
