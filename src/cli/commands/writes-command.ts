import { Option } from "commander";
import { z } from "zod";
import { resolveCheckpoint } from "../checkpoints/resolve-checkpoint.js";
import { CHECKPOINT_HELP, namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../output/format-table.js";
import { formatBriefly } from "../output/format-value.js";
import { humanBytes } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const writesFlags = threadFlags.extend({ checkpoint: z.string().optional() });

export const writes: CommandDefinition = {
  name: "writes",
  group: "Inspect",
  summary: "list the pending writes of a checkpoint",
  args: () => [threadArgument()],
  options: () => [
    new Option("--checkpoint <id>", `the checkpoint: ${CHECKPOINT_HELP} (default: head)`),
    namespaceOption(),
  ],
  examples: ["writes 42", "writes 42 --checkpoint head~1 --json"],
  run: async (context, flags) => {
    const { saver, signal, terminal } = context;
    const { thread, namespace, checkpoint } = writesFlags.parse(flags);
    const { id, config } = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const found = await saver.writesOf(config, { signal });
    const json = { thread, namespace, checkpoint: id, writes: found };
    if (found.length === 0) {
      const text = `checkpoint ${printable(id)} has no writes`;
      return { exitCode: EXIT_CODE.ok, text, json };
    }
    const rows = found.map((write) => [
      printable(write.taskId),
      printable(write.taskPath),
      String(write.idx),
      printable(write.channel),
      printable(write.type ?? ""),
      humanBytes(write.bytes),
      formatBriefly(write.value),
    ]);
    const head = ["TASK", "PATH", "IDX", "CHANNEL", "TYPE", "SIZE", "VALUE"];
    const text = `checkpoint ${printable(id)}\n\n${formatTable([head, ...rows], { numbers: [2, 5], text: 6, width: terminal.columns })}`;
    return { exitCode: EXIT_CODE.ok, text, json };
  },
};
