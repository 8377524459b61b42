import { readFile } from "node:fs/promises";
import { transform } from "esbuild";

/** The sources that the agent imports, by what a user imports instead. */
const PUBLISHED = {
  "../../src/index.js": "langgraph-checkpoint-kysely",
  "../../src/store/index.js": "langgraph-checkpoint-kysely/store",
};

/**
 * The files of the agent that every project has: `agent.mjs` and `agent.cjs` export it, and `main.mjs` and `main.cjs` run it on the database
 * of `DATABASE_URL` and print what it returns.
 */
export async function agentPrograms(): Promise<Readonly<Record<string, string>>> {
  const source = await readFile(new URL("../agent.ts", import.meta.url), "utf8");
  const [esm, cjs] = await Promise.all(
    (["esm", "cjs"] as const).map(async (format) => {
      const { code } = await transform(source, { loader: "ts", target: "es2022", format });
      return Object.entries(PUBLISHED).reduce(
        (text, [from, to]) => text.replaceAll(`"${from}"`, `"${to}"`),
        code,
      );
    }),
  );
  return {
    "agent.mjs": esm ?? "",
    "agent.cjs": cjs ?? "",
    "main.mjs": `import { runAgent } from "./agent.mjs";\n${RUN}`,
    "main.cjs": `const { runAgent } = require("./agent.cjs");\n${RUN}`,
  };
}

const RUN = `
runAgent(process.env.DATABASE_URL).then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
`;
