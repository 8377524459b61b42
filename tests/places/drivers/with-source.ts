import type { Trial } from "../place.js";

/**
 * Runs the agent on what a program opens.
 *
 * @param open - Statements that import a driver and define `source`, and `close`, which ends what was opened.
 */
export function withSource(open: string): Trial {
  return async (project) => {
    await project.write({
      "source.mjs": `import { runAgent } from "./agent.mjs";\n${open}\nconsole.log(await runAgent(source));\nawait close();\n`,
    });
    return project.node("source.mjs");
  };
}

/** The same in CommonJS. */
export function withRequiredSource(open: string): Trial {
  return async (project) => {
    await project.write({
      "source.cjs": `const { runAgent } = require("./agent.cjs");\n${open}\nrunAgent(source).then(async (result) => {\n  await close();\n  console.log(result);\n});\n`,
    });
    return project.node("source.cjs");
  };
}
