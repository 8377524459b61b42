import type { CommandContext, Report } from "../command-definition.js";
import { EXIT_CODE } from "../command-io.js";
import { shellWord } from "../output/printable.js";
import type { Style } from "../output/style.js";

/** The report of a command that has succeeded. */
export function success(text: string, json: object): Report {
  return { exitCode: EXIT_CODE.ok, text, json };
}

/** The report of a command that answers a question. */
export function answer(isYes: boolean, text: string, json: object): Report {
  return { exitCode: isYes ? EXIT_CODE.ok : EXIT_CODE.no, text, json };
}

/**
 * The report of a command that has done what it could.
 *
 * @param left - How much it has left as it was.
 * @param missing - How much of what was named is not there.
 */
export function outcome(left: number, missing: number, text: string, json: object): Report {
  return { ...answer(missing === 0, text, json), ...(left > 0 && { exitCode: EXIT_CODE.left }) };
}

/** Formats statements as a part of a script of SQL. */
export function sqlSection(title: string, statements: readonly string[]): string {
  return [`-- ${title}`, ...statements.map((statement) => `${statement};`)].join("\n");
}

/** Joins the reports of the parts of a command, one after another. Its answer is yes if each of theirs is. */
export function joined(parts: readonly Report[]): Report {
  return answer(
    parts.every(({ exitCode }) => exitCode === EXIT_CODE.ok),
    parts.map(({ text }) => text).join(""),
    Object.assign({}, ...parts.map(({ json }) => json)) as object,
  );
}

/** What a part of a command reports that was not asked for. */
export const NOTHING_ASKED = success("", {});

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

/** Names the command line that continues a list. Options without a value are left out. */
export function nextPageHint(
  style: Style,
  command: readonly string[],
  options: Readonly<Record<string, string | number | undefined>>,
): string {
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [name, String(value)],
  );
  return `\n\n${style.dim(`next page: ${[...command, ...words].map(shellWord).join(" ")}`)}`;
}
