import { Option } from "commander";
import { z } from "zod";
import { type TextSink, writeFile, writeLines } from "../../backup-file/write-file.js";
import type { CommandDefinition } from "../../command-definition.js";
import { runLongWork } from "../../run/long-work.js";
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
    const lines = store.exportItems({ namespace, signal });
    let items = 0;
    await runLongWork(
      { signal, terminal },
      {
        what: "exporting",
        show: (count: number) => [0, counted(count, "item")],
        interrupted: () =>
          toStdout ? "the backup is incomplete, and `store import` will refuse it" : "no backup was written",
      },
      (onProgress) => {
        const writeBackup = (sink: TextSink) =>
          writeLines(lines, sink, (line) => {
            if (line.startsWith(ITEM_LINE)) items += 1;
            onProgress(items);
          });
        return toStdout ? writeBackup(terminal) : writeFile(output, writeBackup);
      },
    );
    return {
      exitCode: EXIT_CODE.ok,
      text: `exported ${counted(items, "item")}`,
      json: { items, output: toStdout ? null : output },
      on: toStdout ? "stderr" : "stdout",
    };
  },
};
