import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/** A program of the benchmark, for `fork`. */
export interface Program {
  readonly path: string;
  /** What Node.js needs to run it. */
  readonly execArgv: readonly string[];
}

/**
 * Returns a program that is compiled if the module beside it is.
 *
 * @param module - The URL of the module.
 * @param name - The name of the program's file, without an extension.
 */
export function programBeside(module: string, name: string): Program {
  const extension = extname(module);
  return {
    path: fileURLToPath(new URL(`${name}${extension}`, module)),
    execArgv: extension === ".ts" ? ["--import", import.meta.resolve("tsx")] : [],
  };
}
