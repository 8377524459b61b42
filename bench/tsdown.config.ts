import { defineConfig } from "tsdown";

/** Compiles the benchmark once for all of its processes. Otherwise each would compile it, which takes longer than a quick run's work. */
export default defineConfig({
  entry: {
    main: "main.ts",
    "killed-backend-process": "scenarios/killed-backend-process.ts",
    "memory-process": "memory/memory-process.ts",
    "delay-proxy": "latency/delay-proxy.ts",
    "start-process": "start/start-process.ts",
    "cold-process": "cold/cold-process.ts",
  },
  outDir: "dist",
  platform: "node",
  dts: false,
  // What is measured are packages as they are installed.
  deps: { skipNodeModulesBundle: true },
});
