import { Option } from "commander";
import { z } from "zod";
import { type TextSink, writeFile, writeLines } from "../../backup-file/write-file.js";
import type { CommandDefinition } from "../../command-definition.js";
import { reportInterrupt } from "../../errors/report-interrupt.js";
import { EXIT_CODE } from "../../exit-code.js";
import { scopeArgument } from "../../options/item-options.js";
import { counted } from "../../output/format-numbers.js";

const STDOUT = "-";
const exportFlags = z.object({
  namespace: z.array(z.string()).optional(),
  output: z.string().default(STDOUT),
});

/** How the line of an item begins. */
const ITEM_LINE = '{"table":';

export const storeExport: CommandDefinition = {
  name: "export",
  summary: "write a backup of items, which `store import` can restore into any database",
  args: () => [scopeArgument()],
  options: () => [
    new Option(
      "--output <file>",
      "the file to write, replaced once the backup is complete (default: standard output)",
    ),
  ],
  examples: [
    "store export --output items.ndjson",
    "store export users.7 > user-7.ndjson",
    "store export | gzip > items.ndjson.gz",
  ],
  run: async ({ store, signal, terminal }, flags) => {
    const { namespace, output } = exportFlags.parse(flags);
    const toStdout = output === STDOUT;
    // Without a total: the number of items is not known before they are read.
    const progress = terminal.progress("exporting");
    const lines = store.exportItems({ namespace, signal });
    let items = 0;
    const writeBackup = (sink: TextSink) =>
      writeLines(lines, sink, (line) => {
        if (line.startsWith(ITEM_LINE)) items += 1;
        progress.update(0, counted(items, "item"));
      });
    try {
      await reportInterrupt(
        signal,
        () => (toStdout ? writeBackup(terminal) : writeFile(output, writeBackup)),
        () =>
          toStdout ? "the backup is incomplete, and `store import` will refuse it" : "no backup was written",
      );
    } finally {
      progress.stop();
    }
    return {
      exitCode: EXIT_CODE.ok,
      text: `exported ${counted(items, "item")}`,
      json: { items, output: toStdout ? null : output },
      on: toStdout ? "stderr" : "stdout",
    };
  },
};
