import {
  confirmFlags,
  flag,
  threadList,
  itemNamespaceArgument,
  shownNamespace,
  dryRunOption,
  yesOption,
} from "../../options/shared-options.js";
import { success, unchanged } from "../reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError, SerializationError } from "../../../errors/index.js";
import type { CommandContext, CommandDefinition, Report } from "../../command-definition.js";
import { countOption, parseJsonObject, ttlOption } from "../../options/option-values.js";
import { printable } from "../../output/printable.js";
import { readText } from "../../files/read-file.js";
import { runInterruptible } from "../../run/long-work.js";
import { countOf } from "../../output/format-numbers.js";

const STDIN = "-";
const MINUTE_MS = 60_000;

const putFlags = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.string().default(STDIN),
  ttl: z.number().optional(),
  ifVersion: z.number().optional(),
});

export const storePutCommand: CommandDefinition = {
  name: "put",
  summary: "store an item, or replace the one with the same key",
  args: () => [
    itemNamespaceArgument(),
    new Argument("<key>", "the key of the item"),
    new Argument("[value]", "the value as a JSON object, or - for standard input (default: -)"),
  ],
  options: () => [
    ttlOption("--ttl <time>", "how long the item lives, such as 30d (default: for ever)"),
    countOption("--if-version <n>", "only if the item has this version; 0 for no item"),
  ],
  examples: [
    `store put users.7 settings '{"theme": "dark"}' --ttl 30d`,
    `store put users.7 profile '{"name": "Ada", "age": 37}' --if-version 1`,
  ],
  run: async (context, flags) => {
    const { namespace, key, value, ttl, ifVersion } = putFlags.parse(flags);
    const { store, signal } = context;
    const item = parseValue(
      value === STDIN ? await readText(stdinOf(context), { signal, field: "value" }) : value,
    );
    await requirePlain(context, namespace);
    const ttlMinutes = ttl === undefined ? null : ttl / MINUTE_MS;
    await store.put(namespace, key, item, undefined, { ttl: ttlMinutes, ifVersion, signal });
    return success(`stored item ${printable(key)} of namespace ${shownNamespace(namespace)}`, {
      namespace,
      key,
    });
  },
};

/**
 * Refuses to store a value in clear text among values that a serializer has encoded: it would not be encrypted, and a service whose
 * serializer requires encryption could not read it.
 */
async function requirePlain({ store, signal }: CommandContext, namespace: readonly string[]): Promise<void> {
  const { SEALED } = await import("../../../store/item-codec.js");
  const sealed = await store.count(namespace, { filter: { [SEALED]: { $exists: true } }, signal });
  if (sealed === 0) return;
  throw new SerializationError(
    "",
    `a serializer encrypts or compresses values of namespace "${namespace.join(".")}"; use a store with that serializer`,
  );
}

function stdinOf({ terminal: { stdin } }: CommandContext) {
  if (stdin !== undefined && stdin.isTTY !== true) return stdin;
  throw new InvalidConfigError("value", "pass a JSON object, or pipe one to standard input");
}

function parseValue(text: string): Record<string, unknown> {
  try {
    return parseJsonObject(text);
  } catch (cause) {
    throw new InvalidConfigError("value", 'must be a JSON object such as {"name": "Ada"}', { cause });
  }
}

const deleteFlags = z.object({
  namespace: z.array(z.string()),
  keys: threadList,
  all: flag,
  ...confirmFlags,
});
type Flags = z.output<typeof deleteFlags>;

export const storeDeleteCommand: CommandDefinition = {
  name: "delete",
  summary: "delete items, or with --all a namespace with everything below it; asks for confirmation",
  args: () => [itemNamespaceArgument(), new Argument("[keys...]", "the keys of the items")],
  options: () => [
    new Option("--all", "all items of the namespace and of those below it"),
    dryRunOption(),
    yesOption(),
  ],
  examples: [
    "store delete users.7 settings --yes",
    "store delete users.7 --all --dry-run",
    "store delete users.8 --all --yes --json",
  ],
  run: async (context, flags) => {
    const parsed = deleteFlags.parse(flags);
    if (parsed.all !== parsed.keys.length > 0) return deleteItems(context, parsed);
    throw new InvalidConfigError("store delete", "name the keys of the items, or pass --all");
  },
};

/** What the command would delete. */
interface FoundItems {
  readonly items: number;
  /** The keys that have no item. */
  readonly missing: readonly string[];
}

async function deleteItems(context: CommandContext, flags: Flags): Promise<Report> {
  const { style, signal, terminal } = context;
  const { namespace, all, dryRun, yes } = flags;
  const { items, missing } = await findItems(context, flags);
  const place = `${all ? "namespace" : "of namespace"} ${shownNamespace(namespace)}`;
  const summary = all ? `${place} with ${countOf(items, "item")}` : `${countOf(items, "item")} ${place}`;
  const report = (verb: string, deleted: number): Report => {
    const notes = missing.length === 0 ? "" : `\nnot found: ${missing.map(printable).join(", ")}`;
    return success(`${verb} ${summary}${notes}`, { namespace, items, missing, dryRun, deleted });
  };
  if (items === 0) return report("nothing to delete:", 0);
  if (dryRun) return report("would delete", 0);
  if (!yes && !(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) {
    return unchanged({ deleted: 0 });
  }
  const deleted = await runInterruptible(
    signal,
    () => (all ? "a part of the items may be deleted; run the command again" : "nothing was deleted"),
    () => deleteAll(context, flags, items),
  );
  return report("deleted", deleted);
}

async function findItems(
  { store, signal }: CommandContext,
  { namespace, keys, all }: Flags,
): Promise<FoundItems> {
  if (all) return { items: await store.count(namespace, { signal }), missing: [] };
  const distinct = [...new Set(keys)];
  const found = await store.getMany(
    distinct.map((key) => ({ namespace, key })),
    { signal },
  );
  const missing = distinct.filter((_key, nth) => found[nth] === null);
  return { items: distinct.length - missing.length, missing };
}

async function deleteAll(
  { store, signal }: CommandContext,
  { namespace, keys, all }: Flags,
  items: number,
): Promise<number> {
  if (all) return store.deleteNamespace(namespace, { signal });
  await store.batch(
    keys.map((key) => ({ namespace, key, value: null })),
    { signal },
  );
  return items;
}

export const storeSweepCommand: CommandDefinition = {
  name: "sweep",
  summary: "delete the items that have expired, which no read sees any more",
  examples: ["store sweep", "store sweep --json"],
  run: async ({ store, signal }) => {
    const deleted = await runInterruptible(
      signal,
      () => "run the command again to continue",
      () => store.sweep({ signal }),
    );
    return success(`deleted ${countOf(deleted, "expired item")}`, { deleted });
  },
};
