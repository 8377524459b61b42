import type { Place } from "../place.js";
import { NODE_PACKAGE, NODE_PROGRAM, NODE_VERSIONS } from "./node-package.js";

/** Each supported Node.js, with both module systems. */
export const nodes: readonly Place[] = NODE_VERSIONS.map((version) => ({
  name: `Node.js ${version.split(".")[0]}`,
  kind: "Node.js and other runtimes",
  packages: { [NODE_PACKAGE]: version },
  tried: { "Node.js": NODE_PACKAGE },
  trials: {
    "ES modules": (project) => project.run([NODE_PROGRAM, "main.mjs"]),
    CommonJS: (project) => project.run([NODE_PROGRAM, "main.cjs"]),
  },
}));
