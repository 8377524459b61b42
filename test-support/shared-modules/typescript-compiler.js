import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const target = `node${process.versions.node}`;

/** Compiles a TypeScript file. Node.js loads it by itself only since version 24, or doesn't know `using`. */
export function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const sourcefile = fileURLToPath(url);
  const { code } = transformSync(readFileSync(sourcefile, "utf8"), {
    loader: "ts",
    target,
    sourcefile,
    sourcemap: "inline",
  });
  return { format: "module", source: code, shortCircuit: true };
}
