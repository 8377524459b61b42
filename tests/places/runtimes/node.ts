import type { Place } from "../place.js";
import { majorOf, NODE_PACKAGE, NODE_VERSIONS, nodeProgram } from "./node-package.js";

/** Each supported Node.js, with both module systems. */
export const nodes: readonly Place[] = NODE_VERSIONS.map((version) => ({
  name: `Node.js ${majorOf(version)}`,
  kind: "Node.js and other runtimes",
  packages: { [NODE_PACKAGE]: version },
  tried: { "Node.js": NODE_PACKAGE },
  trials: {
    "ES modules": (project) => project.run([nodeProgram(), "main.mjs"]),
    CommonJS: (project) => project.run([nodeProgram(), "main.cjs"]),
  },
}));
