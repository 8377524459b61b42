import type { Place, Trial } from "../place.js";
import { builtBy } from "./built-by.js";

function built(entry: string, noExternal: boolean): Trial {
  const options = {
    ...{ configFile: false, logLevel: "warn", ssr: { noExternal: noExternal || undefined } },
    build: { ssr: entry, outDir: "out", rollupOptions: { output: { entryFileNames: "built.mjs" } } },
  };
  const text = `import { build } from "vite";\nawait build(${JSON.stringify(options)});\n`;
  return builtBy({ name: "build.mjs", text }, "out/built.mjs");
}

export const vite: Place = {
  name: "Vite",
  kind: "Bundlers and frameworks",
  packages: { vite: "8.3.8" },
  tried: { Vite: "vite" },
  notes:
    "A build for a server, with packages left to Node.js as by default, and with all of them in the bundle (`ssr.noExternal`).",
  trials: {
    "SSR build": built("main.mjs", false),
    "SSR build of everything": built("main.mjs", true),
    "SSR build of everything, CommonJS": built("main.cjs", true),
  },
};
