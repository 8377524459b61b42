import type { Place, Trial } from "../place.js";

const BUILD = `
const path = require("node:path");
const webpack = require("webpack");
const [entry] = process.argv.slice(2);
const output = { path: path.join(process.cwd(), "out"), filename: "main.cjs" };
webpack({ context: process.cwd(), mode: "production", target: "node20", entry, output }, (error, stats) => {
  const problems = stats?.toJson({ all: false, errors: true }).errors ?? [];
  for (const { message } of problems) console.error(message);
  if (error !== null) throw error;
  if (problems.length > 0) process.exitCode = 1;
});
`;

function bundled(entry: string): Trial {
  return async (project) => {
    await project.write({ "build.cjs": BUILD });
    await project.node("build.cjs", `./${entry}`);
    return project.node("out/main.cjs");
  };
}

export const webpack: Place = {
  name: "webpack",
  kind: "Bundlers and frameworks",
  packages: { webpack: "5.113.0" },
  tried: { webpack: "webpack" },
  notes:
    "Set `target` to `node20` or later. webpack warns of packages that `pg` and `msgpackr` load only where they are installed.",
  trials: { "ES modules": bundled("main.mjs"), CommonJS: bundled("main.cjs") },
};
