import type { Place, Trial } from "../place.js";
import { builtBy } from "./built-by.js";

const BUILD = `
import commonjs from "@rollup/plugin-commonjs";
import resolve from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";

const bundle = await rollup({
  input: process.argv[2],
  plugins: [resolve(), commonjs()],
  onwarn: ({ code }) => console.log(code),
});
await bundle.write({ dir: "out", entryFileNames: "main.mjs", format: "esm" });
`;

function bundled(entry: string): Trial {
  return builtBy({ name: "build.mjs", text: BUILD, args: [entry] }, "out/main.mjs");
}

export const rollup: Place = {
  name: "Rollup",
  kind: "Bundlers and frameworks",
  packages: {
    rollup: "4.68.8",
    "@rollup/plugin-commonjs": "29.0.3",
    "@rollup/plugin-node-resolve": "16.0.3",
  },
  tried: { Rollup: "rollup" },
  notes: "It needs the plugins node-resolve and commonjs, since `pg` is CommonJS.",
  trials: { "ES modules": bundled("main.mjs"), CommonJS: bundled("main.cjs") },
};
