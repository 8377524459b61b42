import { esbuild } from "./bundlers/esbuild.js";
import { bundledByWebpack } from "./bundlers/webpack.js";
import { describeAgent } from "./describe-agent.js";

describeAgent("in a bundle", ["esbuild", "webpack"], {
  "ES modules by webpack": bundledByWebpack("main.mjs", "development"),
  "CommonJS by webpack": bundledByWebpack("main.cjs", "development"),
  ...Object.fromEntries(Object.entries(esbuild.trials).map(([name, trial]) => [`${name} by esbuild`, trial])),
});
