import { Argument } from "commander";
import { z } from "zod";
import type { Tombstone } from "../../threads/thread-types.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { countOption } from "../options/option-values.js";
import { afterOption, yesOption } from "../options/shared-options.js";
import { ago, counted, humanTime } from "../output/format-numbers.js";
import { formatTable } from "../output/format-table.js";
import { printable } from "../output/printable.js";
import { shellWord } from "../output/shell-word.js";

const DEFAULT_LIMIT = 50;

const tombstonesFlags = z.object({
  limit: z.number().default(DEFAULT_LIMIT),
  after: z.string().optional(),
});
const liftFlags = z.object({ threads: z.array(z.string()), yes: z.boolean().default(false) });

const tombstonesLift: CommandDefinition = {
  name: "lift",
  summary: "remove tombstones, so that the threads can be written to again; asks for confirmation",
  args: () => [new Argument("<threads...>", "the deleted threads")],
  options: () => [yesOption()],
  examples: ["tombstones lift 44 --yes", "tombstones lift 43 44 --yes --json"],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { threads, yes } = liftFlags.parse(flags);
    const ids = [...new Set(threads)];
    const question = `${style.warning("Allow")} writes to ${counted(ids.length, "deleted thread")}?`;
    if (!yes && !(await terminal.confirm(question))) {
      return { exitCode: EXIT_CODE.no, text: "nothing was changed", json: { lifted: [], missing: [] } };
    }
    const lifted = await saver.liftTombstones(ids, { signal });
    const missing = ids.filter((id) => !lifted.includes(id));
    const notes = missing.map((id) => `\nthread ${printable(id)} has no tombstone`);
    return {
      exitCode: EXIT_CODE.ok,
      text: `lifted ${counted(lifted.length, "tombstone")}${notes.join("")}`,
      json: { lifted, missing },
    };
  },
};

export const tombstones: CommandDefinition = {
  name: "tombstones",
  group: "Clean up",
  summary: "list the tombstones of deleted threads, to which savers with keepTombstones can't write",
  options: () => [
    countOption("--limit <n>", `how many tombstones (default: ${DEFAULT_LIMIT})`, 1),
    afterOption(),
  ],
  examples: ["tombstones", "tombstones --limit 10 --after 42", "tombstones --json"],
  subcommands: [tombstonesLift],
  run: async ({ saver, style, signal }, flags) => {
    const { limit, after } = tombstonesFlags.parse(flags);
    const found = await saver.listTombstones({ limit, after, signal });
    const last = found.length === limit ? found.at(-1)?.threadId : undefined;
    const json = { tombstones: found, next: last ?? null };
    if (found.length === 0) return { exitCode: EXIT_CODE.ok, text: "no tombstones", json };
    const limited = limit === DEFAULT_LIMIT ? "" : `--limit ${limit} `;
    const next = last === undefined ? "" : `tombstones ${limited}--after ${shellWord(last)}`;
    const more = next === "" ? "" : `\n\n${style.dim(`next page: ${next}`)}`;
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
