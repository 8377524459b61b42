import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { documentedPrograms, startsPostgres } from "./documented-programs.js";
import { DocumentedProject, RAN, TIMEOUT_MS } from "./documented-project.js";

// In a file of its own, because each of these programs starts a PGlite, which takes seconds. documents.test.ts checks their types.
const PROGRAMS = documentedPrograms().filter(startsPostgres);

describe("every program in README.md and docs/ with a Postgres in the process", () => {
  let project: DocumentedProject;

  beforeAll(async () => {
    project = await DocumentedProject.create(PROGRAMS);
  });

  afterAll(() => project.remove());

  it(
    "runs with the installed package",
    async () => {
      expect(PROGRAMS).not.toEqual([]);
      const outcomes = await project.run(PROGRAMS, new Map());
      expect(outcomes).toEqual(PROGRAMS.map(({ place }) => [place, RAN]));
    },
    TIMEOUT_MS,
  );
});
