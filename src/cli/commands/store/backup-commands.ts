import { success } from "../reports.js";
import { Argument } from "commander";
import { z } from "zod";
import { outputFlag, outputOption, writeBackup } from "../../files/write-file.js";
import type { CommandDefinition } from "../../command-definition.js";
import { runLongWork } from "../../run/long-work.js";
import { scopeArgument } from "../../options/shared-options.js";
import { countOf } from "../../output/format-numbers.js";
import type { ImportItemsReport } from "../../../store/store-options.js";
import { checkFiles, linesOf, STDIN } from "../../files/read-file.js";

const exportFlags = z.object({
  namespace: z.array(z.string()).optional(),
  output: outputFlag,
});

/** How the line of an item begins. */
const ITEM_LINE = '{"table":';

export const storeExportCommand: CommandDefinition = {
  name: "export",
  summary: "write a backup of items, which `store import` can restore into any database",
  args: () => [scopeArgument()],
  options: () => [outputOption()],
  examples: [
    "store export --output items.ndjson",
    "store export users.7 > user-7.ndjson",
    "store export | gzip > items.ndjson.gz",
  ],
  run: async (context, flags) => {
    const { store, signal } = context;
    const { namespace, output } = exportFlags.parse(flags);
    const lines = store.exportItems({ namespace, signal });
    let items = 0;
    const { file, on } = await writeBackup(context, {
      ...{ output, lines, restoredBy: "store import" },
      count: (line) => {
        if (line.startsWith(ITEM_LINE)) items += 1;
        return items;
      },
      describe: (count) => countOf(count, "item"),
    });
    return { ...success(`exported ${countOf(items, "item")}`, { items, output: file }), on };
  },
};

const importFlags = z.object({ file: z.string().default(STDIN) });

export const storeImportCommand: CommandDefinition = {
  name: "import",
  summary: "restore a backup of items; existing items are never changed, and equal ones are skipped",
  args: () => [new Argument("[file]", "the backup, or - for standard input (default: -)")],
  examples: ["store import items.ndjson", "store import items.ndjson --schema restored"],
  run: async (context, flags) => {
    const { file } = importFlags.parse(flags);
    const { store, signal, terminal } = context;
    const { inspectItems } = await import("../../../store/back-up-items.js");
    // A file is checked before anything is stored, so that a damaged one leaves no items behind.
    const total = file === STDIN ? undefined : await checkFiles(context, [file], inspectItems);
    const report = await runLongWork<ImportItemsReport, ImportItemsReport>(
      { signal, terminal },
      {
        ...{ what: "importing", total },
        show: ({ items, skipped, expired }) => [items + skipped + expired, countOf(items, "item")],
        interrupted: (last) =>
          `stored ${countOf(last?.items ?? 0, "item")}; run the command again to continue`,
        run: (onProgress) => store.importItems(linesOf(context, file), { onProgress, signal }),
      },
    );
    return success(`imported ${describe(report)}`, report);
  },
};

function describe({ items, skipped, expired }: ImportItemsReport): string {
  return [
    countOf(items, "item"),
    ...(skipped === 0 ? [] : [`skipped ${countOf(skipped, "item")} that already existed`]),
    ...(expired === 0 ? [] : [`left out ${countOf(expired, "item")} whose time was over`]),
  ].join(", ");
}
