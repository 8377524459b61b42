import type { Metafile } from "esbuild";

/** A file that a bundler writes. */
export type BundledFile = Metafile["outputs"][string];

/** Returns the files of a bundle that load with its entry, which came from `stdin`. The others load when they are imported. */
export function loadedAtOnce({ outputs }: Metafile): BundledFile[] {
  const paths = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint === "<stdin>"));
  for (const path of paths) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") paths.add(imported);
    }
  }
  return [...paths].flatMap((path) => outputs[path] ?? []);
}
