import { Rolldown } from "tsdown";

// Bundles an entry that imports the given modules without using them, and prints the code that remains: their side effects.
const entry = process.argv.slice(2).map((path) => `import ${JSON.stringify(path)};\n`);

const bundle = await Rolldown.rolldown({
  input: "entry",
  // Other packages stay external: their side effects are not tested here.
  external: (id) => !id.startsWith(".") && !id.startsWith("/") && id !== "entry",
  treeshake: { moduleSideEffects: true },
  plugins: [
    {
      name: "entry",
      resolveId: (id) => (id === "entry" ? id : null),
      load: (id) => (id === "entry" ? entry.join("") : null),
    },
  ],
});
const { output } = await bundle.generate({ format: "esm" });
const isOurs = (line) => !/^(import .*|\/\/.*|export \{\s*\};|)$/.test(line);
process.stdout.write(output[0].code.split("\n").filter(isOurs).join("\n"));
