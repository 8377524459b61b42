import type { Place, Trial } from "../place.js";
import { majorOf, NODE_PACKAGE, NODE_VERSIONS, nodeProgram } from "../runtimes/node-package.js";

const TEST = `
const { runAgent } = require("./agent.cjs");
test("the agent runs", async () => {
  console.log(await runAgent(process.env.DATABASE_URL));
});
`;

/**
 * Runs a test as an application has it, with no setting of Jest.
 *
 * @param node - The program of Node.js, if it is not that of the project.
 */
export function byJest(node?: string): Trial {
  return async (project) => {
    await project.write({ "agent.test.js": TEST });
    const args = [await project.bin("jest"), "--rootDir", project.folder];
    return node === undefined ? project.node(...args) : project.run([node, ...args]);
  };
}

/** What Jest can load depends on Node.js. */
const NODES = NODE_VERSIONS.map((version) => ({ version, name: `node-${majorOf(version)}` }));

export const jest: Place = {
  name: "Jest",
  kind: "Tests",
  packages: {
    jest: "30.5.2",
    ...Object.fromEntries(NODES.map(({ version, name }) => [name, `npm:${NODE_PACKAGE}@${version}`])),
  },
  tried: { Jest: "jest" },
  notes: "With its defaults, in a CommonJS project.",
  trials: Object.fromEntries(
    NODES.map(({ version, name }) => [`CommonJS on Node.js ${majorOf(version)}`, byJest(nodeProgram(name))]),
  ),
};
