import { defineConfig } from "tsdown";

/** Compiles the demo once for all of its processes. Otherwise each would compile it, which takes longer than what it does. */
export default defineConfig({
  entry: ["main.ts", "act.ts"],
  outDir: "dist",
  platform: "node",
  dts: false,
});
