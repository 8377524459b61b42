import { Option } from "commander";
import { z } from "zod";
import { jsonObject } from "../../parsing/json-object.js";
import type { ThreadSummary } from "../../threads/thread-types.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../output/format-table.js";
import { humanCount, timeAndAge } from "../output/format-numbers.js";
import { countOption, parseJsonObject, parseTime } from "../options/option-values.js";
import { afterOption } from "../options/shared-options.js";
import { printable } from "../output/printable.js";
import { shellWord } from "../output/shell-word.js";

const DEFAULT_LIMIT = 50;

const threadsFlags = z.object({
  limit: z.number().default(DEFAULT_LIMIT),
  after: z.string().optional(),
  filter: jsonObject.optional(),
  updatedAfter: z.date().optional(),
});
type Flags = z.output<typeof threadsFlags>;

export const threads: CommandDefinition = {
  name: "threads",
  group: "Inspect",
  summary: "list the threads, with the newest checkpoint of each",
  options: () => [
    countOption("--limit <n>", `how many threads (default: ${DEFAULT_LIMIT})`, 1),
    afterOption(),
    new Option("--filter <json>", "only threads whose newest metadata contains this JSON").argParser(
      parseJsonObject,
    ),
    new Option(
      "--updated-after <time>",
      "only threads with a checkpoint later than this: an ISO 8601 time, or an age such as 24h",
    ).argParser(parseTime),
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
    if (found.length === 0) return { exitCode: EXIT_CODE.ok, text: "no threads", json };
    const more = last === undefined ? "" : `\n\n${style.dim(`next page: ${nextPage(query, last)}`)}`;
    const damages = found.flatMap(({ threadId, damaged }) =>
      damaged === undefined
        ? []
        : [`\n${style.warning("damaged")}  ${printable(threadId)}: ${printable(damaged)}`],
    );
    const text = [formatThreads(found, terminal.columns), ...damages, more].join("");
    return { exitCode: EXIT_CODE.ok, text, json };
  },
};

/** The command line of the next page of the same list. */
function nextPage({ limit, filter, updatedAfter }: Flags, last: string): string {
  const words = [
    ...(limit === DEFAULT_LIMIT ? [] : ["--limit", String(limit)]),
    ...(filter === undefined ? [] : ["--filter", JSON.stringify(filter)]),
    ...(updatedAfter === undefined ? [] : ["--updated-after", updatedAfter.toISOString()]),
    ...["--after", last],
  ];
  return ["threads", ...words.map(shellWord)].join(" ");
}

function formatThreads(found: readonly ThreadSummary[], width: number | undefined): string {
  const rows = found.map((thread) => [
    printable(thread.threadId),
    timeAndAge(thread.updatedAt),
    thread.step === undefined ? "" : String(thread.step),
    printable(thread.source ?? ""),
    humanCount(thread.checkpoints),
    humanCount(thread.namespaces),
  ]);
  const head = ["THREAD", "UPDATED", "STEP", "SOURCE", "CHECKPOINTS", "NAMESPACES"];
  return formatTable([head, ...rows], { numbers: [2, 4, 5], text: 1, width });
}
