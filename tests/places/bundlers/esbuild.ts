import type { Place, Trial } from "../place.js";
import { builtBy } from "./built-by.js";

const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

function bundled(entry: string, format: "cjs" | "esm"): Trial {
  const file = format === "cjs" ? "out/main.cjs" : "out/main.mjs";
  const options = {
    ...{ entryPoints: [entry], bundle: true, platform: "node", format, outfile: file },
    ...(format === "esm" && { banner: { js: REQUIRE } }),
  };
  const text = `import { build } from "esbuild";\nawait build(${JSON.stringify(options)});\n`;
  return builtBy({ name: "build.mjs", text }, file);
}

export const esbuild: Place = {
  name: "esbuild",
  kind: "Bundlers and frameworks",
  packages: { esbuild: "0.28.2" },
  tried: { esbuild: "esbuild" },
  notes:
    "Set `platform` to `node`. An ES module as output needs a `require` for `pg`, which is CommonJS, as any other CommonJS package does there: " +
    `the banner \`${REQUIRE}\`.`,
  trials: {
    "ES modules": bundled("main.mjs", "esm"),
    CommonJS: bundled("main.cjs", "cjs"),
    "ES modules to CommonJS": bundled("main.mjs", "cjs"),
  },
};
