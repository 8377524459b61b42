import { expect } from "@jest/globals";
import { relative } from "node:path";
import { type ConsumerProject, runNode } from "./consumer-project.js";
import { CJS_CONSUMER, ESM_CONSUMER } from "./consumers.js";
import { TSC } from "./installed-package.js";

/** The result of {@link typeCheckConsumers}. */
export interface TypeCheck {
  readonly errors: readonly string[];
  /** The files in the folder of the project that TypeScript read. */
  readonly files: readonly string[];
}

/** The result for a package without mistakes: both consumers found the declarations of their module system. */
export const NO_MISTAKES = {
  errors: [],
  files: expect.arrayContaining([
    ...["esm.mts", "cjs.cts"],
    ...["index.d.ts", "index.d.cts"].map((file) => `node_modules/langgraph-checkpoint-kysely/dist/${file}`),
  ]),
};

const STRICT = {
  ...{ strict: true, exactOptionalPropertyTypes: true },
  // With declarations, since types that a consumer's functions return must have names that it may use.
  ...{ declaration: true },
  ...{ noEmit: true, target: "es2022", types: ["node"] },
};

/**
 * Type-checks the consumers in strict mode. The errors are theirs and those of the package, not those of LangChain, whose declarations
 * have errors in strict mode.
 *
 * @param compilerOptions - how modules are resolved, and whether the declarations themselves are checked
 */
export async function typeCheckConsumers(
  project: ConsumerProject,
  compilerOptions: Record<string, unknown>,
): Promise<TypeCheck> {
  await project.write("esm.mts", ESM_CONSUMER);
  await project.write("cjs.cts", CJS_CONSUMER);
  const config = { compilerOptions: { ...STRICT, ...compilerOptions }, files: ["esm.mts", "cjs.cts"] };
  await project.write("tsconfig.json", JSON.stringify(config));
  const options = ["--singleThreaded", "--listFiles", "--pretty", "false"];
  const { output } = await runNode(project.folder, TSC, ...options);
  const lines = output.split("\n");
  return {
    // An error in a file begins with its path relative to the project, any other with `error`.
    errors: lines.filter((line) => /(^|: )error TS/.test(line) && !line.startsWith("..")),
    files: lines
      .filter((line) => line.startsWith(project.folder))
      .map((file) => relative(project.folder, file)),
  };
}
