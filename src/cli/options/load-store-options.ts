import { z } from "zod";
import { parse } from "../../parsing/parse.js";
import type { PostgresStoreOptions } from "../../store/store-options.js";
import type { OfflineContext } from "../command-definition.js";
import { loadModule } from "./load-module.js";

// The constructor of the store checks the options themselves.
const moduleOfOptions = z.object({
  default: z.object({
    index: z.custom<PostgresStoreOptions["index"]>((given) => given !== undefined, "is missing"),
    namespaces: z.custom<PostgresStoreOptions["namespaces"]>().optional(),
    serde: z.custom<PostgresStoreOptions["serde"]>().optional(),
  }),
});

/**
 * Loads the options of a service's store that decide how texts are embedded. A command line can't contain a model.
 *
 * @param path - The path of a module, from the working directory.
 * @param importModule - Imports the module.
 * @throws InvalidConfigError for a module that can't be loaded, or without these options.
 */
export async function loadStoreOptions(
  path: string,
  importModule: OfflineContext["importModule"],
): Promise<Pick<PostgresStoreOptions, "index" | "namespaces" | "serde">> {
  const { default: options } = parse(moduleOfOptions, await loadModule(path, importModule), "module");
  return options;
}
