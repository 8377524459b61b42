import { afterOption, flag, limitFlag, limitOption, yesOption } from "../options/shared-options.js";
import { success, unchanged, nextPageHint } from "./reports.js";
import { Argument } from "commander";
import { z } from "zod";
import { jsonObject } from "../../parsing/parse.js";
import type { ThreadSummary } from "../../threads/thread-types.js";
import type { CommandDefinition } from "../command-definition.js";
import { type TableColumn, formatRows } from "../output/format-table.js";
import { humanCount, timeAndAge, ago, countOf, humanTime } from "../output/format-numbers.js";
import { jsonOption, timeOption } from "../options/option-values.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";

const DEFAULT_LIMIT = 50;

const threadsFlags = z.object({
  limit: limitFlag(DEFAULT_LIMIT),
  after: z.string().optional(),
  filter: jsonObject.optional(),
  updatedAfter: z.date().optional(),
});
type Flags = z.output<typeof threadsFlags>;

export const threadsCommand: CommandDefinition = {
  name: "threads",
  group: "Inspect",
  summary: "list the threads, with the newest checkpoint of each",
  options: () => [
    limitOption("threads", DEFAULT_LIMIT),
    afterOption(),
    jsonOption("--filter <json>", "only threads whose newest metadata contains this JSON"),
    timeOption(
      "--updated-after <time>",
      "only threads with a checkpoint later than this: an ISO 8601 time, or an age such as 24h",
    ),
  ],
  examples: [
    "threads",
    "threads --limit 10 --after 42",
    "threads --updated-after 24h",
    `threads --filter '{"source": "loop"}' --json`,
  ],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const query = threadsFlags.parse(flags);
    const found = await saver.listThreads({ ...query, signal });
    const last = found.length === query.limit ? found.at(-1)?.threadId : undefined;
    const json = { threads: found, next: last ?? null };
    if (found.length === 0) return success("no threads", json);
    const more = last === undefined ? "" : nextPage(query, last, style);
    const damages = found.flatMap(({ threadId, damaged }) =>
      damaged === undefined
        ? []
        : [`\n${style.warning("damaged")}  ${printable(threadId)}: ${printable(damaged)}`],
    );
    const text = [formatRows(found, COLUMNS, terminal.columns), ...damages, more].join("");
    return success(text, json);
  },
};

/** The command line of the next page of the same list. */
function nextPage({ limit, filter, updatedAfter }: Flags, last: string, style: Style): string {
  return nextPageHint(style, ["threads"], {
    "--limit": limit === DEFAULT_LIMIT ? undefined : limit,
    "--filter": filter && JSON.stringify(filter),
    "--updated-after": updatedAfter?.toISOString(),
    "--after": last,
  });
}

const COLUMNS: readonly TableColumn<ThreadSummary>[] = [
  ["THREAD", ({ threadId }) => printable(threadId)],
  ["UPDATED", ({ updatedAt }) => timeAndAge(updatedAt), "text"],
  ["STEP", ({ step }) => (step === undefined ? "" : String(step)), "number"],
  ["SOURCE", ({ source }) => printable(source ?? "")],
  ["CHECKPOINTS", ({ checkpoints }) => humanCount(checkpoints), "number"],
  ["NAMESPACES", ({ namespaces }) => humanCount(namespaces), "number"],
];

const tombstonesFlags = z.object({
  limit: limitFlag(DEFAULT_LIMIT),
  after: z.string().optional(),
});
const liftFlags = z.object({ threads: z.array(z.string()), yes: flag });

const tombstonesLiftCommand: CommandDefinition = {
  name: "lift",
  summary: "remove tombstones, so that the threads can be written to again; asks for confirmation",
  args: () => [new Argument("<threads...>", "the deleted threads")],
  options: () => [yesOption()],
  examples: ["tombstones lift 44 --yes", "tombstones lift 43 44 --yes --json"],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { threads, yes } = liftFlags.parse(flags);
    const ids = [...new Set(threads)];
    const question = `${style.warning("Allow")} writes to ${countOf(ids.length, "deleted thread")}?`;
    if (!yes && !(await terminal.confirm(question))) return unchanged({ lifted: [], missing: [] });
    const lifted = await saver.liftTombstones(ids, { signal });
    const missing = ids.filter((id) => !lifted.includes(id));
    const notes = missing.map((id) => `\nthread ${printable(id)} has no tombstone`);
    return success(`lifted ${countOf(lifted.length, "tombstone")}${notes.join("")}`, { lifted, missing });
  },
};

export const tombstonesCommand: CommandDefinition = {
  name: "tombstones",
  group: "Clean up",
  summary: "list the tombstones of deleted threads, to which savers with keepTombstones can't write",
  options: () => [limitOption("tombstones", DEFAULT_LIMIT), afterOption()],
  examples: ["tombstones", "tombstones --limit 10 --after 42", "tombstones --json"],
  subcommands: [tombstonesLiftCommand],
  run: async ({ saver, style, signal }, flags) => {
    const { limit, after } = tombstonesFlags.parse(flags);
    const found = await saver.listTombstones({ limit, after, signal });
    const last = found.length === limit ? found.at(-1)?.threadId : undefined;
    const json = { tombstones: found, next: last ?? null };
    if (found.length === 0) return success("no tombstones", json);
    const options = { "--limit": limit === DEFAULT_LIMIT ? undefined : limit, "--after": last };
    const more = last === undefined ? "" : nextPageHint(style, ["tombstones"], options);
    const table = formatRows(found, [
      ["THREAD", ({ threadId }) => printable(threadId)],
      ["DELETED", ({ deletedAt }) => humanTime(deletedAt)],
      ["", ({ deletedAt }) => ago(deletedAt)],
    ]);
    return success(table + more, json);
  },
};
