import { Argument } from "commander";
import { z } from "zod";
import { CheckpointError } from "../../../errors/index.js";
import type { StoreItem } from "../../../store/model/item.js";
import type { CommandDefinition } from "../../command-definition.js";
import { EXIT_CODE } from "../../exit-code.js";
import { itemNamespaceArgument, shownNamespace } from "../../options/item-options.js";
import { humanCount, humanTime, timeAndAge } from "../../output/format-numbers.js";
import { formatValue, indent } from "../../output/format-value.js";
import { printable } from "../../output/printable.js";
import type { Style } from "../../output/style.js";
import { itemJson } from "./item-json.js";

const getFlags = z.object({ namespace: z.array(z.string()), key: z.string() });

export const storeGet: CommandDefinition = {
  name: "get",
  summary: "print an item: its value, its version and its times",
  args: () => [itemNamespaceArgument(), new Argument("<key>", "the key of the item")],
  examples: ["store get users.7 profile", "store get users.7 profile --json"],
  run: async ({ readableStore, style, signal }, flags) => {
    const { namespace, key } = getFlags.parse(flags);
    const item = await readableStore.get(namespace, key, { signal });
    if (item === null) throw itemNotFound(namespace, key);
    return { exitCode: EXIT_CODE.ok, text: formatItem(item, style), json: itemJson(item) };
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
  const facts = [
    ["namespace", shownNamespace(namespace)],
    ["key", printable(key)],
    ["version", humanCount(version)],
    ["created", timeAndAge(createdAt)],
    ["updated", timeAndAge(updatedAt)],
    ["expires", expiresAt === undefined ? "never" : humanTime(expiresAt)],
  ];
  const head = facts.map(([name = "", fact = ""]) => `${style.dim(name.padEnd(9))}  ${fact}`);
  return `${head.join("\n")}\n\n${indent(formatValue(item.value, style))}`;
}
