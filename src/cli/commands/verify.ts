import { Argument } from "commander";
import { z } from "zod";
import type { Problem, VerifyProgress } from "../../saver/audit/auditing.js";
import type { CommandDefinition } from "../command-definition.js";
import { notFound } from "../checkpoint-reference.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../format-table.js";
import { counted } from "../format-values.js";
import { printable } from "../printable.js";
import type { Style } from "../style.js";
import { tellingWhatWasDone } from "../telling-what-was-done.js";

const flagsOfVerify = z.object({ thread: z.string().optional() });

const MAX_NOTICES = 20;

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
      const table = found.problems.length === 0 ? [] : [formatProblems(found.problems, style)];
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

/** All errors; of the notices, which a pruned database has by the thousand, the first ones. */
function formatProblems(problems: readonly Problem[], style: Style): string {
  const errors = problems.filter(({ severity }) => severity === "error");
  const notices = problems.filter(({ severity }) => severity === "notice");
  const rows = [...errors, ...notices.slice(0, MAX_NOTICES)].map((problem) => [
    problem.severity === "error" ? style.bad("error") : style.warning("notice"),
    problem.kind,
    printable(problem.message),
  ]);
  const hidden = notices.length - MAX_NOTICES;
  const more = hidden > 0 ? `\n${style.dim(`and ${counted(hidden, "more notice")}: --json has all`)}` : "";
  return `${formatTable([["", "KIND", "WHAT"], ...rows])}${more}`;
}
