import { Option } from "commander";
import { z } from "zod";
import { jsonObject } from "../../../parsing/json-object.js";
import type { FoundItem } from "../../../store/model/item.js";
import type { CommandDefinition } from "../../command-definition.js";
import { EXIT_CODE } from "../../exit-code.js";
import { scopeArgument, shownNamespace } from "../../options/item-options.js";
import { parseJsonObject } from "../../options/option-values.js";
import { humanCount, humanTime } from "../../output/format-numbers.js";
import { formatTable } from "../../output/format-table.js";
import { formatBriefly } from "../../output/format-value.js";
import { printable } from "../../output/printable.js";
import { itemJson } from "./item-json.js";
import { nextPage, pageFlags, pageOptions } from "./item-pages.js";

const DEFAULT_LIMIT = 10;

const searchFlags = z.object({
  ...pageFlags(DEFAULT_LIMIT),
  namespace: z.array(z.string()).default([]),
  filter: jsonObject.optional(),
  query: z.string().optional(),
});

export const storeSearch: CommandDefinition = {
  name: "search",
  summary: "find items by their values, the newest first, or the best match of a query",
  args: () => [scopeArgument()],
  options: () => [
    new Option("--filter <json>", "only items whose values fulfil these conditions").argParser(
      parseJsonObject,
    ),
    new Option(
      "--query <text>",
      'only items with all of these words; "…", or and - work as in a search engine',
    ),
    ...pageOptions("items", DEFAULT_LIMIT),
  ],
  examples: [
    "store search users.7",
    `store search users --filter '{"age": {"$gte": 18}}' --limit 20`,
    "store search --query 'green tea' --json",
  ],
  run: async (context, flags) => {
    const { style, signal, terminal } = context;
    const { namespace, filter, query, ...page } = searchFlags.parse(flags);
    const store = filter === undefined ? context.readableStore : context.store;
    const found = await store.search(namespace, { ...page, filter, query, mode: "text", signal });
    const words = [
      ...(namespace.length === 0 ? [] : [namespace.join(".")]),
      ...(filter === undefined ? [] : ["--filter", JSON.stringify(filter)]),
      ...(query === undefined ? [] : ["--query", query]),
    ];
    const next = nextPage(page, found.length);
    const json = { items: found.map(itemJson), next: next.offset };
    if (found.length === 0) return { exitCode: EXIT_CODE.ok, text: "no items", json };
    const more = next.hint(["store", "search", ...words], DEFAULT_LIMIT, style);
    return { exitCode: EXIT_CODE.ok, text: formatItems(found, terminal.columns) + more, json };
  },
};

function formatItems(found: readonly FoundItem[], width: number | undefined): string {
  const rows = found.map(({ namespace, key, updatedAt, version, value }) => [
    shownNamespace(namespace),
    printable(key),
    humanTime(updatedAt),
    humanCount(version),
    formatBriefly(value),
  ]);
  const head = ["NAMESPACE", "KEY", "UPDATED", "VERSION", "VALUE"];
  return formatTable([head, ...rows], { numbers: [3], text: 4, width });
}
