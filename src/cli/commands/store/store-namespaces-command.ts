import { z } from "zod";
import type { CommandDefinition } from "../../command-definition.js";
import { EXIT_CODE } from "../../exit-code.js";
import { labelsOption, shownNamespace } from "../../options/item-options.js";
import { countOption } from "../../options/option-values.js";
import { formatTable } from "../../output/format-table.js";
import { nextPage, pageFlags, pageOptions } from "./item-pages.js";

const DEFAULT_LIMIT = 100;

const namespacesFlags = z.object({
  ...pageFlags(DEFAULT_LIMIT),
  prefix: z.array(z.string()).optional(),
  suffix: z.array(z.string()).optional(),
  maxDepth: z.number().optional(),
});

export const storeNamespaces: CommandDefinition = {
  name: "namespaces",
  summary: "list the namespaces that hold items",
  options: () => [
    labelsOption("--prefix <labels>", "the first labels"),
    labelsOption("--suffix <labels>", "the last labels"),
    countOption("--max-depth <n>", "cut off longer namespaces to so many labels", 1),
    ...pageOptions("namespaces", DEFAULT_LIMIT),
  ],
  examples: [
    "store namespaces",
    "store namespaces --prefix users --max-depth 2",
    "store namespaces --prefix 'users.*' --suffix facts --json",
  ],
  run: async ({ store, style, signal }, flags) => {
    const query = namespacesFlags.parse(flags);
    const namespaces = await store.listNamespaces({ ...query, signal });
    const { prefix, suffix, maxDepth } = query;
    const words = [
      ...(prefix === undefined ? [] : ["--prefix", prefix.join(".")]),
      ...(suffix === undefined ? [] : ["--suffix", suffix.join(".")]),
      ...(maxDepth === undefined ? [] : ["--max-depth", String(maxDepth)]),
    ];
    const next = nextPage(query, namespaces.length);
    const json = { namespaces, next: next.offset };
    if (namespaces.length === 0) return { exitCode: EXIT_CODE.ok, text: "no namespaces", json };
    const rows = namespaces.map((namespace) => [shownNamespace(namespace)]);
    const text = formatTable([["NAMESPACE"], ...rows]);
    const more = next.hint(["store", "namespaces", ...words], DEFAULT_LIMIT, style);
    return { exitCode: EXIT_CODE.ok, text: text + more, json };
  },
};
