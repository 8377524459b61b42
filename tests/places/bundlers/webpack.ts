import type { Place, Trial } from "../place.js";
import { builtBy } from "./built-by.js";

const BUILD = `
const path = require("node:path");
const webpack = require("webpack");
const [mode, entry] = process.argv.slice(2);
const output = { path: path.join(process.cwd(), "out"), filename: "main.cjs" };
webpack({ context: process.cwd(), mode, target: "node20", entry, output }, (error, stats) => {
  const problems = stats?.toJson({ all: false, errors: true }).errors ?? [];
  for (const { message } of problems) console.error(message);
  if (error !== null) throw error;
  if (problems.length > 0) process.exitCode = 1;
});
`;

/** In the mode `development` nothing is minified, which takes most of the time. */
export function bundledByWebpack(entry: string, mode: "production" | "development"): Trial {
  return builtBy({ name: "build.cjs", text: BUILD, args: [mode, `./${entry}`] }, "out/main.cjs");
}

export const webpack: Place = {
  name: "webpack",
  kind: "Bundlers and frameworks",
  packages: { webpack: "5.113.0" },
  tried: { webpack: "webpack" },
  notes:
    "Set `target` to `node20` or later. webpack warns that `pg` looks for `pg-native`, as in any application with `pg`.",
  trials: {
    "ES modules": bundledByWebpack("main.mjs", "production"),
    CommonJS: bundledByWebpack("main.cjs", "production"),
  },
};
