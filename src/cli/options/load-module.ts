import { posix, win32 } from "node:path";
import { pathToFileURL } from "node:url";
import { InvalidConfigError } from "../../errors/index.js";
import type { OfflineContext } from "../command-definition.js";

/**
 * Loads a module of the user.
 *
 * @param path - The path of the module, from the working directory.
 * @param importModule - Imports the module.
 * @throws InvalidConfigError for a module that can't be loaded.
 */
export async function loadModule(
  path: string,
  importModule: OfflineContext["importModule"],
): Promise<unknown> {
  try {
    return await importModule(moduleUrl(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidConfigError("module", `can't be loaded: ${reason}`, { cause });
  }
}

/** The URL of a module, which `import` needs: on Windows it takes `C:` for a scheme. */
export function moduleUrl(path: string, windows = process.platform === "win32"): string {
  const system = windows ? win32 : posix;
  return pathToFileURL(system.resolve(path), { windows }).href;
}
