import {
  threadsArgument,
  confirmFlags,
  flag,
  namedOrAll,
  threadList,
  dryRunOption,
  yesOption,
} from "../options/shared-options.js";
import { outcome, afterConfirmation } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import type { RepairAction, RepairProgress, RepairReport } from "../../repair/repair-types.js";
import { InvalidConfigError } from "../../errors/index.js";
import { checkFiles, linesOfAll } from "../files/read-file.js";
import type { CommandContext, CommandDefinition } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";
import { repeatedOption } from "../options/option-values.js";
import { countOf } from "../output/format-numbers.js";
import { formatTable } from "../output/format-table.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";

const repairFlags = z.object({
  threads: threadList,
  to: z.string().optional(),
  from: z.array(z.string()).optional(),
  rollBack: flag,
  quarantine: flag,
  ...confirmFlags,
});

export const repairCommand: CommandDefinition = {
  name: "repair",
  group: "Check and back up",
  summary: "repair what `verify` finds: print a plan, ask, keep the threads as they were, and change them",
  args: () => [threadsArgument()],
  options: () => [
    new Option(
      "--to <folder>",
      "the archive that keeps each thread as it was, before it is changed; needed to change anything",
    ),
    repeatedOption(
      "--from <file>",
      "a backup with the rows that are damaged or missing, then its increments",
    ),
    new Option(
      "--roll-back",
      "also remove damaged checkpoints, so that a thread continues from its newest healthy one",
    ),
    new Option("--quarantine", "move a thread that stays damaged to the archive"),
    dryRunOption("print the plan, and change nothing"),
    yesOption(),
  ],
  examples: [
    "repair --dry-run",
    "repair 42 --from backup.ndjson --to repaired --yes",
    "repair --roll-back --quarantine --to repaired --yes --json",
  ],
  run: async (context, flags) => {
    const { threads, to, from, rollBack, quarantine, dryRun, yes } = repairFlags.parse(flags);
    const { saver, signal, style } = context;
    if (!dryRun && to === undefined) throw new InvalidConfigError("--to", "is missing: or pass --dry-run");
    if (from !== undefined) {
      const { inspectBackup } = await import("../../backup/import-threads.js");
      await checkFiles(context, from, inspectBackup);
    }
    const { archiveFolder } = await import("../../archive/archive-folder.js");
    const target = to === undefined ? undefined : archiveFolder(to);
    const run = (planOnly: boolean): Promise<RepairReport> =>
      runLongWork<RepairProgress, RepairReport>(context, {
        what: planOnly ? "planning" : "repairing",
        show: ({ threadsDone }) => [threadsDone, countOf(threadsDone, "thread")],
        interrupted: (last) =>
          planOnly
            ? "nothing was changed"
            : `repaired ${countOf(last?.threadsDone ?? 0, "thread")}; run the command again`,
        run: (onProgress) =>
          saver.repair({
            ...{ threads: namedOrAll(threads), to: target, dryRun: planOnly },
            ...{ rollBack, quarantine, signal, onProgress },
            from: from && linesOfAll(context, from),
          }),
      });
    return afterConfirmation(context, {
      ...{ dryRun, yes },
      preview: () => run(true),
      question: (plan) =>
        plan.repairs.every(({ action }) => action === "none")
          ? undefined
          : `${describe(plan, context)}\n\n${style.warning("Change")} the rows of these threads?`,
      report: (plan) => report(plan, context),
      refused: (plan) => ({ ...plan, dryRun: true }),
      run: async () => report(await run(false), context),
    });
  },
};

type Output = Pick<CommandContext, "style" | "terminal">;

function report(done: RepairReport, output: Output) {
  return outcome(done.threads - done.repaired, 0, describe(done, output), done);
}

function describe({ threads, repaired, repairs, dryRun }: RepairReport, { style, terminal }: Output): string {
  const width = terminal.columns;
  if (threads === 0) return "nothing is damaged";
  const rows = repairs.flatMap(({ problem, action, description }) => [
    [dressed(action, style), printable(problem.message)],
    ["", `→ ${printable(description)}`],
  ]);
  const verb = dryRun ? "would repair" : "repaired";
  const left = threads - repaired;
  const rest = left === 0 ? "" : `, and ${dryRun ? "would leave" : "left"} ${countOf(left, "thread")}`;
  const table = formatTable([["ACTION", "PROBLEM"], ...rows], { text: 1, width });
  return `${table}\n\n${verb} ${repaired} of ${countOf(threads, "damaged thread")}${rest}`;
}

function dressed(action: RepairAction, style: Style): string {
  return action === "none" ? style.bad(action) : action;
}
