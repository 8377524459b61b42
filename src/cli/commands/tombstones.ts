import { Option } from "commander";
import { z } from "zod";
import type { Tombstone } from "../../threads/thread-life.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../output/format-table.js";
import { ago, humanTime } from "../output/format-numbers.js";
import { countOption } from "../options/option-values.js";
import { printable } from "../output/printable.js";
import { shellWord } from "../output/shell-word.js";
import { tombstonesLift } from "./tombstones-lift.js";

const DEFAULT_LIMIT = 50;

const flagsOfTombstones = z.object({
  limit: z.number().default(DEFAULT_LIMIT),
  after: z.string().optional(),
});

/** `tombstones`. */
export const tombstones: CommandDefinition = {
  name: "tombstones",
  group: "Clean up",
  summary: "list the threads that were deleted for good, to which nobody can write",
  options: () => [
    countOption("--limit <n>", `how many (default: ${DEFAULT_LIMIT})`, 1),
    new Option("--after <thread>", "go on behind this thread, the last of the page before"),
  ],
  examples: ["tombstones", "tombstones --limit 10 --after 42", "tombstones --json"],
  subcommands: [tombstonesLift],
  run: async ({ saver, style, signal }, flags) => {
    const { limit, after } = flagsOfTombstones.parse(flags);
    const found = await saver.listTombstones({ limit, after, signal });
    const last = found.length === limit ? found.at(-1)?.threadId : undefined;
    const json = { tombstones: found, next: last ?? null };
    if (found.length === 0) return { exitCode: EXIT_CODE.ok, text: "no tombstones", json };
    const limited = limit === DEFAULT_LIMIT ? "" : `--limit ${limit} `;
    const next = last === undefined ? "" : `tombstones ${limited}--after ${shellWord(last)}`;
    const more = next === "" ? "" : `\n\n${style.dim(`the next page: ${next}`)}`;
    return { exitCode: EXIT_CODE.ok, text: formatTombstones(found) + more, json };
  },
};

function formatTombstones(found: readonly Tombstone[]): string {
  const rows = found.map(({ threadId, deletedAt }) => [
    printable(threadId),
    humanTime(deletedAt),
    ago(deletedAt),
  ]);
  return formatTable([["THREAD", "DELETED", ""], ...rows]);
}
