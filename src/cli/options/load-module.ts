import { resolve } from "node:path";
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
    return await importModule(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidConfigError("module", `can't be loaded: ${reason}`, { cause });
  }
}
