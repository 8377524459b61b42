import { Argument, Option } from "commander";
import { z } from "zod";
import { notFound } from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { describeCounts, hasRows } from "../output/describe-rows.js";
import { printable } from "../output/printable.js";

const copyFlags = z.object({
  source: z.string(),
  target: z.string(),
  reencode: z.boolean().default(false),
});

export const copy: CommandDefinition = {
  name: "copy",
  group: "Change",
  summary: "copy a thread with its checkpoints, values and writes; checkpoint ids stay the same",
  args: () => [
    new Argument("<source>", "the thread to copy"),
    new Argument("<target>", "the id of the copy; no thread may have it yet"),
  ],
  options: () => [
    new Option(
      "--reencode",
      "re-encode values and versions, so that Python's saver can continue a thread of the official JavaScript saver",
    ),
  ],
  examples: ["copy 42 42-what-if", "copy 42 42-what-if --json", "copy 42 42-for-python --reencode"],
  run: async ({ saver, openSaver, signal }, flags) => {
    const { source, target, reencode } = copyFlags.parse(flags);
    const copier = openSaver({ keepTombstones: true });
    const counts = await copier.copyThread(source, target, { reencode, signal });
    if (!hasRows(counts)) {
      const { total } = await saver.storage({ threadId: source, limit: 1, signal });
      if (total.checkpoints + total.blobs + total.writes === 0) throw notFound(source, "");
    }
    return {
      exitCode: EXIT_CODE.ok,
      text: `copied ${describeCounts(counts)} to thread ${printable(target)}`,
      json: { source, target, ...counts },
    };
  },
};
