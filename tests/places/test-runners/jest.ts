import type { Place, Trial } from "../place.js";

const TEST = `
const { runAgent } = require("./agent.cjs");
test("the agent runs", async () => {
  console.log(await runAgent(process.env.DATABASE_URL));
});
`;

/** Runs a test as an application has it, with no setting of Jest. */
export const runByJest: Trial = async (project) => {
  await project.write({ "agent.test.js": TEST });
  return project.node(await project.bin("jest"), "--rootDir", project.folder);
};

export const jest: Place = {
  name: "Jest",
  kind: "Tests",
  packages: { jest: "30.5.2" },
  tried: { Jest: "jest" },
  notes: "With its defaults, in a CommonJS project.",
  trials: { CommonJS: runByJest },
};
