import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { openTenancy, type Tenancy } from "../tenants/tenancy.js";
import { ConsumerProject, pack, ROOT, runNode, UNOPTIMIZED_PGLITE } from "./consumer-project.js";
import { type DocumentedProgram, documentedPrograms } from "./documented-programs.js";
import { TSC } from "./installed-package.js";

const PROGRAMS = documentedPrograms();
/** The programs that this machine can run: Node.js 20 has no SQLite, and a run may have no Redis. */
const RUNNABLE = PROGRAMS.filter(
  ({ code }) =>
    (!code.includes("checkpoint-store/sqlite") || process.getBuiltinModule("node:sqlite") !== undefined) &&
    (!code.includes("checkpoint-store/redis") || process.env.CHECKPOINT_TEST_REDIS !== undefined),
);
/** A program with a Postgres in the process shares no database with others, so it runs beside them. */
const isAlone = ({ code }: DocumentedProgram): boolean => /new PGlite|memory:/.test(code);
/** The packages that README.md and docs/ tell readers to install, and their types. */
const INSTALLED = [
  ...["@langchain/core", "@langchain/langgraph", "@langchain/langgraph-checkpoint", "kysely", "pg", "zod"],
  ...[
    "@electric-sql/pglite",
    "@electric-sql/pglite-pgvector",
    "redis",
    "msgpackr",
    "p-retry",
    "commander",
    "cli-progress",
    "cli-table3",
  ],
  ...["@opentelemetry/api", "@opentelemetry/sdk-metrics", "@opentelemetry/sdk-trace-base"],
  ...["@types/node", "@types/pg", "express", "@types/express", "hono"],
];
/** The runner prints this for a program that ran without an error. */
const RAN = "null";
const TIMEOUT_MS = 240_000;

describeServer("every program in README.md and docs/", (server) => {
  let project: ConsumerProject;
  let tenancy: Tenancy;
  /** By the name of the document. The programs of a document run one after another on one database. */
  const databases = new Map<string, string>();

  beforeAll(async () => {
    project = await ConsumerProject.create(await pack(), INSTALLED);
    await project.write("package.json", JSON.stringify({ type: "module" }));
    for (const { file, code } of PROGRAMS) await project.write(file, code);
    for (const { document } of PROGRAMS) {
      if (!databases.has(document)) databases.set(document, (await server.createDatabase()).source);
    }
    // The programs of docs/tenants.md need the role and the policies that an operator creates.
    const through = (url: string): Promise<string> => {
      databases.set("docs/tenants.md", url);
      return Promise.resolve(url);
    };
    tenancy = await openTenancy(server, { through });
  });

  afterAll(async () => {
    await tenancy.close();
    await project.remove();
  });

  /** Runs programs one after another. Returns where each is, and what the runner printed for it. */
  async function run(programs: readonly DocumentedProgram[]): Promise<[place: string, outcome: string][]> {
    const runs = programs.map(({ document, file, urls }) => ({
      file: join(project.folder, file.replace(/\.mts$/, ".mjs")),
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
    const { output } = await runNode(project.folder, UNOPTIMIZED_PGLITE, runner, JSON.stringify(runs));
    const outcomes = output.split("\n").filter((line) => line === RAN || line.startsWith('"'));
    return programs.map(({ place }, index) => [place, outcomes[index] ?? output]);
  }

  it(
    "compiles as it stands and runs with the installed package",
    async () => {
      expect(await compile(project)).toBe("");
      const groups = [RUNNABLE.filter(isAlone), RUNNABLE.filter((program) => !isAlone(program))];
      const outcomes = (await Promise.all(groups.map(run))).flat();
      expect(outcomes).toEqual(groups.flat().map(({ place }) => [place, RAN]));
    },
    TIMEOUT_MS,
  );
});

/** Compiles the programs beside their sources, and returns the errors. */
async function compile(project: ConsumerProject): Promise<string> {
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: true, noUnusedLocals: true, types: ["node"] },
    ...{ target: "es2022", module: "nodenext", moduleResolution: "nodenext" },
  };
  const files = PROGRAMS.map(({ file }) => file).filter((file) => file.endsWith(".mts"));
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  const { output } = await runNode(project.folder, TSC, "--singleThreaded", "--pretty", "false");
  return output;
}

function randomKey(): string {
  return randomBytes(32).toString("base64");
}
