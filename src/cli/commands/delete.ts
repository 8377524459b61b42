import { Argument, Option } from "commander";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import type { CommandDefinition } from "../command-definition.js";
import { deleteIdle } from "../delete-idle.js";
import { deleteNamed } from "../delete-named.js";
import { durationOption } from "../options/option-values.js";

const flagsOfDelete = z.object({
  threads: z.array(z.string()).default([]),
  idle: z.number().optional(),
  tombstones: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  yes: z.boolean().default(false),
});

/** `delete`. */
export const deleteThreads: CommandDefinition = {
  name: "delete",
  group: "Clean up",
  summary: "delete threads with all that belongs to them; asks before it does",
  args: () => [new Argument("[threads...]", "the threads; with --idle those of them that are idle")],
  options: () => [
    durationOption("--idle <time>", "only threads whose newest checkpoint is older than this, such as 90d"),
    new Option("--tombstones", "have them stay deleted, for savers with keepTombstones"),
    new Option("--dry-run", "tell what would go, and change nothing"),
    new Option("--yes", "don't ask"),
  ],
  examples: ["delete 42-copy --yes", "delete 43 44 --tombstones --yes --json", "delete --idle 90d --dry-run"],
  run: async (context, flags) => {
    const { idle, ...parsed } = flagsOfDelete.parse(flags);
    if (idle !== undefined) return deleteIdle(context, idle, parsed);
    if (parsed.threads.length > 0) return deleteNamed(context, parsed);
    throw new InvalidConfigError("delete", "name threads, or say by --idle how long they have been idle");
  },
};
