import { answer } from "./reports.js";
import { Argument } from "commander";
import { z } from "zod";
import type { Problem, VerifyProgress, VerifyReport } from "../../audit/audit-types.js";
import type { CommandDefinition } from "../command-definition.js";
import { checkpointNotFound } from "./resolve-checkpoint.js";
import { formatTable } from "../output/format-table.js";
import { countOf, humanCount } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";
import { shareOption, timeOption } from "../options/option-values.js";
import { runLongWork } from "../run/long-work.js";

const verifyFlags = z.object({
  thread: z.string().optional(),
  sample: z.number().optional(),
  since: z.date().optional(),
});

export const verifyCommand: CommandDefinition = {
  name: "verify",
  group: "Check and back up",
  summary: "check that every checkpoint, value and write can be read; exit with 1 if one can't",
  args: () => [new Argument("[thread]", "only this thread (default: all)")],
  options: () => [
    shareOption("--sample <share>", "only this share of all threads, drawn at random, such as 1%"),
    timeOption(
      "--since <time>",
      "only threads in which something was stored since: ISO 8601, or an age such as 24h",
    ),
  ],
  examples: ["verify 42", "verify --sample 1%", "verify --since 24h", "verify --json"],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { thread, sample, since } = verifyFlags.parse(flags);
    const found = await runLongWork<VerifyProgress, VerifyReport>(
      { signal, terminal },
      {
        what: "verifying",
        total: ({ expected }) => expected,
        show: (state) => [state.checkpoints + state.values, describe(state)],
        interrupted: (last) => (last === undefined ? "nothing was checked" : `checked ${describe(last)}`),
        run: (onProgress) => saver.verify(thread, { onProgress, sample, since, signal }),
      },
    );
    if (thread !== undefined && found.threads === 0 && found.problems.length === 0)
      throw checkpointNotFound(thread, "");
    const errors = found.problems.filter(({ severity }) => severity === "error");
    const checked = `checked ${countOf(found.threads, "thread")}, ${countOf(found.checkpoints, "checkpoint")} and ${countOf(found.values, "value")}`;
    const end = `${checked}: ${summarize(found.problems, errors, style)}`;
    const table =
      found.problems.length === 0 ? [] : [formatProblems(found.problems, style, terminal.columns)];
    return answer(errors.length === 0, [...table, end].join("\n\n"), found);
  },
};

function describe({ checkpoints, values, problems, notices }: VerifyProgress): string {
  const found = `${countOf(problems, "error")}, ${countOf(notices, "notice")}`;
  return `${countOf(checkpoints, "checkpoint")}, ${countOf(values, "value")}, ${found}`;
}

function summarize(problems: readonly Problem[], errors: readonly Problem[], style: Style): string {
  const notices = problems.length - errors.length;
  const rest = notices === 0 ? "" : `, ${countOf(notices, "notice")}`;
  return errors.length === 0
    ? `${style.good("everything can be read")}${rest}`
    : `${style.bad(countOf(errors.length, "error"))}${rest}`;
}

/** Lists every error. Notices are grouped by kind, since a pruned database has one for each thread. */
function formatProblems(problems: readonly Problem[], style: Style, width: number | undefined): string {
  const errors = problems.filter(({ severity }) => severity === "error");
  const notices = problems.filter(({ severity }) => severity === "notice");
  const kinds = [...new Set(notices.map(({ kind }) => kind))];
  const groups = kinds.map((kind) => notices.filter((problem) => problem.kind === kind));
  const rows = [
    ...errors.map((problem) => [style.bad("error"), problem.kind, printable(problem.message)]),
    ...groups.map((group) => [style.warning("notice"), group[0]?.kind ?? "", describeGroup(group)]),
  ];
  const hidden = notices.length - kinds.length;
  const more = hidden > 0 ? `\n${style.dim("--json lists every notice")}` : "";
  return `${formatTable([["", "KIND", "FINDING"], ...rows], { text: 2, width })}${more}`;
}

function describeGroup(group: readonly Problem[]): string {
  const [first] = group;
  const message = printable(first?.message ?? "");
  if (group.length === 1) return message;
  const threads = new Set(group.map(({ threadId }) => threadId)).size;
  return `${humanCount(group.length)} in ${countOf(threads, "thread")}; first: ${message}`;
}
