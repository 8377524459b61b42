import { Argument, Option } from "commander";
import { z } from "zod";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { counted } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";

const flagsOfLift = z.object({ threads: z.array(z.string()), yes: z.boolean().default(false) });

/** `tombstones lift`. */
export const tombstonesLift: CommandDefinition = {
  name: "lift",
  summary: "allow writes to threads that were deleted for good; asks before it does",
  args: () => [new Argument("<threads...>", "the threads")],
  options: () => [new Option("--yes", "don't ask")],
  examples: ["tombstones lift 44 --yes", "tombstones lift 43 44 --yes --json"],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { threads, yes } = flagsOfLift.parse(flags);
    const ids = [...new Set(threads)];
    const question = `${style.warning("Allow")} writes to ${counted(ids.length, "deleted thread")}?`;
    if (!yes && !(await terminal.confirm(question))) {
      return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { lifted: [], missing: [] } };
    }
    const lifted = await saver.liftTombstones(ids, { signal });
    const missing = ids.filter((id) => !lifted.includes(id));
    const none = missing.map((id) => `\nthread ${printable(id)} has no tombstone`);
    return {
      exitCode: EXIT_CODE.ok,
      text: `lifted ${counted(lifted.length, "tombstone")}${none.join("")}`,
      json: { lifted, missing },
    };
  },
};
