import { join } from "node:path";
import type { Place } from "../place.js";
import { TOOLS } from "../project/install.js";

const PROGRAM = join(TOOLS, "node_modules/@yarnpkg/cli-dist/bin/yarn.js");

const SETTINGS = `
nodeLinker: pnp
enableScripts: false
enableTelemetry: false
enableImmutableInstalls: false
`;

export const yarn: Place = {
  name: "Yarn with Plug'n'Play",
  kind: "Package managers",
  packages: { zod: "4.6.7" },
  tools: { "@yarnpkg/cli-dist": "4.18.1" },
  tried: { Yarn: "@yarnpkg/cli-dist" },
  notes: "Install `zod` beside it: LangGraph asks for it as a peer, and Plug'n'Play is strict.",
  install: async (project) => {
    await project.write({ ".yarnrc.yml": SETTINGS, "yarn.lock": "" });
    await project.node(PROGRAM, "install");
  },
  trials: {
    "ES modules": (project) => project.node(PROGRAM, "node", "main.mjs"),
    CommonJS: (project) => project.node(PROGRAM, "node", "main.cjs"),
  },
};
