import {
  limitFlag,
  limitOption,
  threadList,
  scopeArgument,
  shownNamespace,
  itemNamespaceArgument,
  labelsOption,
} from "../../options/shared-options.js";
import { success, nextPageHint } from "../reports.js";
import { Option, Argument } from "commander";
import { z } from "zod";
import { jsonObject } from "../../../parsing/parse.js";
import type { FoundItem, StoreItem } from "../../../store/item.js";
import type { CommandDefinition } from "../../command-definition.js";
import { countOption, jsonOption } from "../../options/option-values.js";
import { humanCount, humanTime, timeAndAge } from "../../output/format-numbers.js";
import { type TableColumn, formatRows, formatFacts } from "../../output/format-table.js";
import { formatBriefly, formatValue, indent } from "../../output/format-value.js";
import { printable } from "../../output/printable.js";
import { CheckpointError } from "../../../errors/index.js";
import type { Style } from "../../output/style.js";

const SEARCH_LIMIT = 10;

const searchFlags = z.object({
  ...pageFlags(SEARCH_LIMIT),
  namespace: threadList,
  filter: jsonObject.optional(),
  query: z.string().optional(),
});

export const storeSearchCommand: CommandDefinition = {
  name: "search",
  summary: "find items by their values, the newest first, or the best match of a query",
  args: () => [scopeArgument()],
  options: () => [
    jsonOption("--filter <json>", "only items whose values fulfil these conditions"),
    new Option(
      "--query <text>",
      'only items with all of these words; "…", or and - work as in a search engine',
    ),
    ...pageOptions("items", SEARCH_LIMIT),
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
    const next = nextOffset(page, found.length);
    const json = { items: found.map(itemJson), next };
    if (found.length === 0) return success("no items", json);
    const words = ["store", "search", ...(namespace.length === 0 ? [] : [namespace.join(".")])];
    const options = {
      "--filter": filter && JSON.stringify(filter),
      "--query": query,
      "--limit": page.limit === SEARCH_LIMIT ? undefined : page.limit,
    };
    const more = next === null ? "" : nextPageHint(style, words, { ...options, "--offset": next });
    return success(formatRows(found, ITEM_COLUMNS, terminal.columns) + more, json);
  },
};

const ITEM_COLUMNS: readonly TableColumn<FoundItem>[] = [
  ["NAMESPACE", ({ namespace }) => shownNamespace(namespace)],
  ["KEY", ({ key }) => printable(key)],
  ["UPDATED", ({ updatedAt }) => humanTime(updatedAt)],
  ["VERSION", ({ version }) => humanCount(version), "number"],
  ["VALUE", ({ value }) => formatBriefly(value), "text"],
];

const getFlags = z.object({ namespace: z.array(z.string()), key: z.string() });

export const storeGetCommand: CommandDefinition = {
  name: "get",
  summary: "print an item: its value, its version and its times",
  args: () => [itemNamespaceArgument(), new Argument("<key>", "the key of the item")],
  examples: ["store get users.7 profile", "store get users.7 profile --json"],
  run: async ({ readableStore, style, signal }, flags) => {
    const { namespace, key } = getFlags.parse(flags);
    const item = await readableStore.get(namespace, key, { signal });
    if (item === null) throw itemNotFound(namespace, key);
    return success(formatItem(item, style), itemJson(item));
  },
};

function itemNotFound(namespace: readonly string[], key: string): CheckpointError {
  return new CheckpointError(
    "ITEM_NOT_FOUND",
    `namespace "${namespace.join(".")}" has no item "${key}"; \`store search\` lists its items`,
  );
}

function formatItem(item: StoreItem, style: Style): string {
  const { namespace, key, version, createdAt, updatedAt, expiresAt } = item;
  const facts = {
    namespace: shownNamespace(namespace),
    key: printable(key),
    version: humanCount(version),
    created: timeAndAge(createdAt),
    updated: timeAndAge(updatedAt),
    expires: expiresAt === undefined ? "never" : humanTime(expiresAt),
  };
  return `${formatFacts(facts, style)}\n\n${indent(formatValue(item.value, style))}`;
}

const NAMESPACES_LIMIT = 100;

const namespacesFlags = z.object({
  ...pageFlags(NAMESPACES_LIMIT),
  prefix: z.array(z.string()).optional(),
  suffix: z.array(z.string()).optional(),
  maxDepth: z.number().optional(),
});

export const storeNamespacesCommand: CommandDefinition = {
  name: "namespaces",
  summary: "list the namespaces that hold items",
  options: () => [
    labelsOption("--prefix <labels>", "the first labels"),
    labelsOption("--suffix <labels>", "the last labels"),
    countOption("--max-depth <n>", "cut off longer namespaces to so many labels", 1),
    ...pageOptions("namespaces", NAMESPACES_LIMIT),
  ],
  examples: [
    "store namespaces",
    "store namespaces --prefix users --max-depth 2",
    "store namespaces --prefix 'users.*' --suffix facts --json",
  ],
  run: async ({ store, style, signal }, flags) => {
    const query = namespacesFlags.parse(flags);
    const namespaces = await store.listNamespaces({ ...query, signal });
    const next = nextOffset(query, namespaces.length);
    const json = { namespaces, next };
    if (namespaces.length === 0) return success("no namespaces", json);
    const options = {
      "--prefix": query.prefix?.join("."),
      "--suffix": query.suffix?.join("."),
      "--max-depth": query.maxDepth,
      "--limit": query.limit === NAMESPACES_LIMIT ? undefined : query.limit,
    };
    const words = ["store", "namespaces"];
    const more = next === null ? "" : nextPageHint(style, words, { ...options, "--offset": next });
    return success(formatRows(namespaces, [["NAMESPACE", shownNamespace]]) + more, json);
  },
};

/** An item as JSON shows it. */
function itemJson<Item extends StoreItem>(item: Item): Item & { readonly expiresAt: Date | null } {
  return { ...item, expiresAt: item.expiresAt ?? null };
}

/** The options of lists of the store, which are paged by numbers. */
function pageOptions(what: string, defaultLimit: number): Option[] {
  return [
    limitOption(what, defaultLimit),
    countOption("--offset <n>", `how many ${what} to skip (default: 0)`),
  ];
}

/** The flags of {@link pageOptions}. */
function pageFlags(defaultLimit: number) {
  return { limit: limitFlag(defaultLimit), offset: z.number().default(0) };
}

/** The `--offset` of the next page; `null` where the page is not full. */
function nextOffset({ limit, offset }: { limit: number; offset: number }, found: number): number | null {
  return found === limit ? offset + limit : null;
}
