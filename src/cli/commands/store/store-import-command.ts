import { Argument } from "commander";
import { z } from "zod";
import type { ImportItemsReport } from "../../../store/backup/item-backup-types.js";
import { checkFiles, linesOf, STDIN } from "../../backup-file/read-file.js";
import type { CommandDefinition } from "../../command-definition.js";
import { runLongWork } from "../../run/long-work.js";
import { EXIT_CODE } from "../../exit-code.js";
import { counted } from "../../output/format-numbers.js";

const importFlags = z.object({ file: z.string().default(STDIN) });

export const storeImport: CommandDefinition = {
  name: "import",
  summary: "restore a backup of items; existing items are never changed, and equal ones are skipped",
  args: () => [new Argument("[file]", "the backup, or - for standard input (default: -)")],
  examples: ["store import items.ndjson", "store import items.ndjson --schema restored"],
  run: async (context, flags) => {
    const { file } = importFlags.parse(flags);
    const { store, signal, terminal } = context;
    const { inspectItems } = await import("../../../store/backup/import-items.js");
    // A file is checked before anything is stored, so that a damaged one leaves no items behind.
    const total = file === STDIN ? undefined : await checkFiles(context, [file], inspectItems);
    const report = await runLongWork<ImportItemsReport, ImportItemsReport>(
      { signal, terminal },
      {
        ...{ what: "importing", total },
        show: ({ items, skipped, expired }) => [items + skipped + expired, counted(items, "item")],
        interrupted: (last) =>
          `stored ${counted(last?.items ?? 0, "item")}; run the command again to continue`,
      },
      (onProgress) => store.importItems(linesOf(context, file), { onProgress, signal }),
    );
    return { exitCode: EXIT_CODE.ok, text: `imported ${describe(report)}`, json: report };
  },
};

function describe({ items, skipped, expired }: ImportItemsReport): string {
  return [
    counted(items, "item"),
    ...(skipped === 0 ? [] : [`skipped ${counted(skipped, "item")} that already existed`]),
    ...(expired === 0 ? [] : [`left out ${counted(expired, "item")} whose time was over`]),
  ].join(", ");
}
