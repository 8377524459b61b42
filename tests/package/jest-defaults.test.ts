import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { runNode } from "./consumer-project.js";
import { type InstalledPackage, installPackage, tool } from "./installed-package.js";

/** A test as an application has it, with no setting of Jest. */
const APPLICATION_TEST = `
const { PostgresSaver } = require("langgraph-checkpoint-kysely");
const { PostgresStore } = require("langgraph-checkpoint-kysely/store");
const { migrationStatus } = require("langgraph-checkpoint-kysely/migrations");

test("an agent's state is stored", async () => {
  const saver = new PostgresSaver(process.env.DATABASE_URL);
  await saver.setup();
  const checkpoint = { v: 4, id: "1ef00000-0000-6000-8000-000000000000", ts: "", channel_values: { a: [1] }, channel_versions: { a: "1" }, versions_seen: {} };
  await saver.put({ configurable: { thread_id: "t", checkpoint_ns: "" } }, checkpoint, { source: "input", step: -1, parents: {} }, { a: "1" });
  expect((await saver.getTuple({ configurable: { thread_id: "t" } })).checkpoint.channel_values).toEqual({ a: [1] });
  await saver.end();
  const store = new PostgresStore(process.env.DATABASE_URL);
  await store.setup();
  await store.put(["a"], "k", { b: 1 });
  expect(await store.search(["a"], { filter: { b: 1 } })).toHaveLength(1);
  await store.end();
  expect(typeof migrationStatus).toBe("function");
});
`;

describeServer("a CommonJS project that requires the package", (server) => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await installPackage();
  });
  afterAll(() => installed.project.remove());

  it("passes its tests in Jest with its defaults", async () => {
    const { project } = installed;
    const { source } = await server.createDatabase();
    await project.write("package.json", JSON.stringify({ name: "application" }));
    await project.write("state.test.js", APPLICATION_TEST);
    const outcome = await runNode(project.folder, "-e", run(project.folder, source));
    expect(outcome).toMatchObject({ code: 0, output: expect.stringContaining("1 passed, 1 total") });
  });
});

/** Starts Jest with the database in its environment. */
function run(folder: string, source: string): string {
  return `process.env.DATABASE_URL = ${JSON.stringify(source)};
    process.argv.push("--rootDir", ${JSON.stringify(folder)}, "--runInBand");
    require(${JSON.stringify(tool(join("jest", "bin", "jest.js")))});`;
}
