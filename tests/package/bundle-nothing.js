import { Rolldown } from "tsdown";

// Prints what is left of the given modules in a bundle that imports them and uses nothing of them: their side effects.
const entry = process.argv.slice(2).map((path) => `import ${JSON.stringify(path)};\n`);

const bundle = await Rolldown.rolldown({
  input: "entry",
  // What comes from other packages stays; whether it has effects is not for this package to say.
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
