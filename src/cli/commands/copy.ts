import { Argument } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { notFound } from "../checkpoint-reference.js";
import { EXIT_CODE } from "../exit-code.js";
import { describeCounts, hasRows } from "../describe-counts.js";
import { printable } from "../printable.js";

const flagsOfCopy = z.object({ source: z.string(), target: z.string() });

/** `copy`. */
export const copy: CommandDefinition = {
  name: "copy",
  group: "Change",
  summary: "copy a thread with all that belongs to it, under the same checkpoint ids",
  args: () => [
    new Argument("<source>", "the thread"),
    new Argument("<target>", "the id of the copy; not one of another thread"),
  ],
  examples: ["copy 42 42-what-if", "copy 42 42-what-if --json"],
  run: async ({ saver, signal }, flags) => {
    const { source, target } = flagsOfCopy.parse(flags);
    const counts = await saver.copyThread(source, target, { signal });
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
