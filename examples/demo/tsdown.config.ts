import { defineConfig } from "tsdown";

/**
 * Compiles the demo once for all of its processes, with the packages that consist of hundreds of files. Otherwise each process would
 * compile and find all of them, which takes longer than what it does.
 */
export default defineConfig({
  entry: ["main.ts", "act.ts"],
  outDir: "dist",
  platform: "node",
  dts: false,
  deps: { alwaysBundle: [/^@langchain\//, "kysely", /^kysely\//, "zod"] },
});
