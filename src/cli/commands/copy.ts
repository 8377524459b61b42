import { Argument, Option } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { notFound } from "../checkpoints/resolve-checkpoint.js";
import { EXIT_CODE } from "../exit-code.js";
import { describeCounts, hasRows } from "../output/describe-rows.js";
import { KEEP_TOMBSTONES } from "../keep-tombstones.js";
import { printable } from "../output/printable.js";

const flagsOfCopy = z.object({
  source: z.string(),
  target: z.string(),
  reencode: z.boolean().default(false),
});

/** `copy`. */
export const copy: CommandDefinition = {
  name: "copy",
  group: "Change",
  summary: "copy a thread with all that belongs to it, under the same checkpoint ids",
  args: () => [
    new Argument("<source>", "the thread"),
    new Argument("<target>", "the id of the copy; not one of another thread"),
  ],
  options: () => [
    new Option(
      "--reencode",
      "write values and versions anew, so that Python's saver goes on with a thread of the official JavaScript one",
    ),
  ],
  examples: ["copy 42 42-what-if", "copy 42 42-what-if --json", "copy 42 42-for-python --reencode"],
  run: async ({ saver, openSaver, signal }, flags) => {
    const { source, target, reencode } = flagsOfCopy.parse(flags);
    const counts = await openSaver(KEEP_TOMBSTONES).copyThread(source, target, { reencode, signal });
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
