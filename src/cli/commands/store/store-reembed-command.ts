import { success } from "../reports.js";
import { Argument } from "commander";
import { z } from "zod";
import type { CommandDefinition, OfflineContext } from "../../command-definition.js";
import { runLongWork } from "../../run/long-work.js";
import { countOf } from "../../output/format-numbers.js";
import { parse } from "../../../parsing/parse.js";
import type { PostgresStoreOptions, ReembedProgress } from "../../../store/store-options.js";
import { loadModule } from "../../options/load-module.js";

const reembedFlags = z.object({ module: z.string() });

export const storeReembedCommand: CommandDefinition = {
  name: "reembed",
  summary: "embed all items again that need it, such as those of another model, beside the services",
  args: () => [
    new Argument(
      "<module>",
      "a JavaScript module whose default export has the options index, namespaces and serde of the service's store",
    ),
  ],
  examples: ["store reembed ./memory-options.js"],
  run: async ({ openStore, importModule, signal, terminal }, flags) => {
    const store = openStore(await loadStoreOptions(reembedFlags.parse(flags).module, importModule));
    let items = 0;
    const report = await runLongWork<ReembedProgress, { readonly embedded: number }>(
      { signal, terminal },
      {
        what: "embedding",
        show: ({ done, total }) => [done, `of ${countOf(total, "item")}`],
        interrupted: () => `${countOf(items, "item")} done; run the command again to continue`,
        run: (onProgress) =>
          store.reembed({
            onProgress: (state) => {
              items = state.done;
              onProgress(state);
            },
            signal,
          }),
      },
    );
    const text = `embedded ${countOf(report.embedded, "text")} of ${countOf(items, "item")}`;
    return success(text, { ...report, items });
  },
};

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
async function loadStoreOptions(
  path: string,
  importModule: OfflineContext["importModule"],
): Promise<Pick<PostgresStoreOptions, "index" | "namespaces" | "serde">> {
  const { default: options } = parse(moduleOfOptions, await loadModule(path, importModule), "module");
  return options;
}
