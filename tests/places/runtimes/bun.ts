import { join } from "node:path";
import type { Place } from "../place.js";

/** The package of one platform: the portable one has an install script. */
const BUN = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
const PROGRAM = join("node_modules", BUN, "bin", "bun");

export const bun: Place = {
  name: "Bun",
  kind: "Node.js and other runtimes",
  packages: { [BUN]: "1.4.5" },
  tried: { Bun: BUN },
  trials: {
    "ES modules": (project) => project.run([PROGRAM, "main.mjs"]),
    CommonJS: (project) => project.run([PROGRAM, "main.cjs"]),
  },
};
