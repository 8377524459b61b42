import { join } from "node:path";
import type { Place } from "../place.js";

/** The package of one platform: the portable one has an install script. */
const DENO = `@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
const PROGRAM = join("node_modules", DENO, "deno");
/** `pg` reads the environment and the user's name, and connects. */
const FLAGS = [
  "run",
  "--node-modules-dir=manual",
  "--allow-env",
  "--allow-net",
  "--allow-read",
  "--allow-sys",
];

export const deno: Place = {
  name: "Deno",
  kind: "Node.js and other runtimes",
  packages: { [DENO]: "2.9.6" },
  tried: { Deno: DENO },
  notes: "It needs the permissions `--allow-env`, `--allow-net`, `--allow-read` and `--allow-sys`.",
  trials: {
    "ES modules": (project) => project.run([PROGRAM, ...FLAGS, "main.mjs"]),
    CommonJS: (project) => project.run([PROGRAM, ...FLAGS, "main.cjs"]),
  },
};
