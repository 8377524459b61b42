import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { openTenancy, type Tenancy } from "../tenants/tenancy.js";
import { documentedPrograms, startsPostgres } from "./documented-programs.js";
import { DocumentedProject, RAN, TIMEOUT_MS } from "./documented-project.js";

const PROGRAMS = documentedPrograms();
/** The programs that this machine can run: Node.js 20 has no SQLite, and a run may have no Redis. documents-with-pglite.test.ts runs the others. */
const RUNNABLE = PROGRAMS.filter((program) => !startsPostgres(program)).filter(
  ({ code }) =>
    (!code.includes("checkpoint-store/sqlite") || process.getBuiltinModule("node:sqlite") !== undefined) &&
    (!code.includes("checkpoint-store/redis") || process.env.CHECKPOINT_TEST_REDIS !== undefined),
);

describeServer("every program in README.md and docs/", (server) => {
  let project: DocumentedProject;
  let tenancy: Tenancy;
  /** By the name of the document. The programs of a document run one after another on one database. */
  const databases = new Map<string, string>();

  beforeAll(async () => {
    project = await DocumentedProject.create(PROGRAMS);
    for (const { document } of RUNNABLE) {
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

  it(
    "compiles as it stands and runs with the installed package",
    async () => {
      const [errors, outcomes] = await Promise.all([project.check(), project.run(RUNNABLE, databases)]);
      expect(errors).toBe("");
      expect(outcomes).toEqual(RUNNABLE.map(({ place }) => [place, RAN]));
    },
    TIMEOUT_MS,
  );
});
