import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../../errors/index.js";
import type { CommandContext, CommandDefinition, Report } from "../../command-definition.js";
import { reportInterrupt } from "../../errors/report-interrupt.js";
import { EXIT_CODE } from "../../exit-code.js";
import { itemNamespaceArgument, shownNamespace } from "../../options/item-options.js";
import { dryRunOption, yesOption } from "../../options/shared-options.js";
import { counted } from "../../output/format-numbers.js";
import { printable } from "../../output/printable.js";

const deleteFlags = z.object({
  namespace: z.array(z.string()),
  keys: z.array(z.string()).default([]),
  all: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
});
type Flags = z.output<typeof deleteFlags>;

export const storeDelete: CommandDefinition = {
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
  const summary = all ? `${place} with ${counted(items, "item")}` : `${counted(items, "item")} ${place}`;
  const report = (verb: string, deleted: number): Report => {
    const notes = missing.length === 0 ? "" : `\nnot found: ${missing.map(printable).join(", ")}`;
    return {
      exitCode: EXIT_CODE.ok,
      text: `${verb} ${summary}${notes}`,
      json: { namespace, items, missing, dryRun, deleted },
    };
  };
  if (items === 0) return report("nothing to delete:", 0);
  if (dryRun) return report("would delete", 0);
  if (!yes && !(await terminal.confirm(`${style.bad("Delete")} ${summary}?`))) {
    return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { deleted: 0 } };
  }
  const deleted = await reportInterrupt(
    signal,
    () => deleteAll(context, flags, items),
    () => (all ? "a part of the items may be deleted; run the command again" : "nothing was deleted"),
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
