import { join } from "node:path";
import type { Place } from "../place.js";
import { TOOLS } from "../project/install.js";

const PROGRAM = join(TOOLS, "node_modules/pnpm/bin/pnpm.mjs");
/** On a machine of CI, pnpm would ask for a lock file. */
const FLAGS = ["--prefer-offline", "--ignore-scripts", "--no-frozen-lockfile", "--reporter=append-only"];

export const pnpm: Place = {
  name: "pnpm",
  kind: "Package managers",
  packages: {},
  tools: { pnpm: "12.21.0" },
  tried: { pnpm: "pnpm" },
  install: async (project) => {
    await project.node(PROGRAM, "install", ...FLAGS);
  },
  trials: {
    "ES modules": (project) => project.node("main.mjs"),
    CommonJS: (project) => project.node("main.cjs"),
  },
};
