import { Argument } from "commander";
import { z } from "zod";
import type { Problem, VerifyProgress } from "../../audit/auditing.js";
import type { CommandDefinition } from "../command-definition.js";
import { notFound } from "../checkpoints/resolve-checkpoint.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../output/format-table.js";
import { counted, humanCount } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";
import { tellingWhatWasDone } from "../errors/report-interrupt.js";

const flagsOfVerify = z.object({ thread: z.string().optional() });

/** `verify`. */
export const verify: CommandDefinition = {
  name: "verify",
  group: "Check and back up",
  summary: "look whether everything can be read back; exit with 1 when something can't",
  args: () => [new Argument("[thread]", "only this thread (default: all)")],
  examples: ["verify 42", "verify --json"],
  run: async ({ saver, style, signal, terminal }, flags) => {
    const { thread } = flagsOfVerify.parse(flags);
    const progress = terminal.progress("verifying");
    let soFar: VerifyProgress | undefined;
    const onProgress = (state: VerifyProgress): void => {
      soFar = state;
      progress.update(0, describe(state));
    };
    try {
      const found = await tellingWhatWasDone(
        signal,
        () => saver.verify(thread, { onProgress, signal }),
        () => (soFar === undefined ? "nothing was looked at" : `${describe(soFar)} until then`),
      );
      if (thread !== undefined && found.threads === 0 && found.problems.length === 0)
        throw notFound(thread, "");
      const errors = found.problems.filter(({ severity }) => severity === "error");
      const looked = `${counted(found.threads, "thread")}, ${counted(found.checkpoints, "checkpoint")} and ${counted(found.values, "value")}`;
      const end = `${looked} looked at: ${verdict(found.problems, errors, style)}`;
      const table =
        found.problems.length === 0 ? [] : [formatProblems(found.problems, style, terminal.columns)];
      const exitCode = errors.length > 0 ? EXIT_CODE.no : EXIT_CODE.ok;
      return { exitCode, text: [...table, end].join("\n\n"), json: found };
    } finally {
      progress.stop();
    }
  },
};

function describe({ checkpoints, values, problems }: VerifyProgress): string {
  return `${counted(checkpoints, "checkpoint")}, ${counted(values, "value")}, ${counted(problems, "problem")}`;
}

function verdict(problems: readonly Problem[], errors: readonly Problem[], style: Style): string {
  const notices = problems.length - errors.length;
  const rest = notices === 0 ? "" : `, ${counted(notices, "notice")}`;
  return errors.length === 0
    ? `${style.good("all can be read")}${rest}`
    : `${style.bad(counted(errors.length, "error"))}${rest}`;
}

/** All errors; the notices by their kinds, since a pruned database has one for each thread. */
function formatProblems(problems: readonly Problem[], style: Style, width: number | undefined): string {
  const errors = problems.filter(({ severity }) => severity === "error");
  const notices = problems.filter(({ severity }) => severity === "notice");
  const kinds = [...new Set(notices.map(({ kind }) => kind))];
  const ofKinds = kinds.map((kind) => notices.filter((problem) => problem.kind === kind));
  const rows = [
    ...errors.map((problem) => [style.bad("error"), problem.kind, printable(problem.message)]),
    ...ofKinds.map((alike) => [style.warning("notice"), alike[0]?.kind ?? "", summaryOf(alike)]),
  ];
  const hidden = notices.length - kinds.length;
  const more = hidden > 0 ? `\n${style.dim("--json has each notice")}` : "";
  return `${formatTable([["", "KIND", "WHAT"], ...rows], { text: 2, width })}${more}`;
}

function summaryOf(alike: readonly Problem[]): string {
  const [first] = alike;
  const message = printable(first?.message ?? "");
  if (alike.length === 1) return message;
  const threads = new Set(alike.map(({ threadId }) => threadId)).size;
  return `${humanCount(alike.length)} in ${counted(threads, "thread")}; the first: ${message}`;
}
