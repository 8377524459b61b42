import type { CommandContext, Report } from "../command-definition.js";
import { EXIT_CODE } from "../command-io.js";

/** The report of a command that has succeeded. */
export function success(text: string, json: object): Report {
  return { exitCode: EXIT_CODE.ok, text, json };
}

/** The report of a command whose question was not answered by yes. */
export function unchanged(json: object): Report {
  return { exitCode: EXIT_CODE.no, text: "nothing was changed", json };
}

/** What a command that deletes or changes much does, after it was counted and confirmed. */
interface ConfirmedWork<Found> {
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Counts what would be done. */
  readonly preview: () => Promise<Found>;
  /** Asks whether to do it. `undefined`: there is nothing to do. */
  readonly question: (found: Found) => string | undefined;
  /** Reports what was counted, and not done. */
  readonly report: (found: Found) => Report;
  /** The JSON of the report where the answer is no. */
  readonly refused: (found: Found) => object;
  /** @param found - Absent where nothing was counted, because nobody is asked. */
  readonly run: (found?: Found) => Promise<Report>;
}

/** Counts what a command would do, and does it once the user has confirmed it. With `--yes` it does so at once. */
export async function afterConfirmation<Found>(
  { terminal }: Pick<CommandContext, "terminal">,
  { dryRun, yes, preview, question, report, refused, run }: ConfirmedWork<Found>,
): Promise<Report> {
  if (yes && !dryRun) return run();
  const found = await preview();
  const asked = question(found);
  if (dryRun || asked === undefined) return report(found);
  return (await terminal.confirm(asked)) ? run(found) : unchanged(refused(found));
}
