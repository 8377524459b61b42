import { Option } from "commander";
import { z } from "zod";
import type { IndexState } from "../../migrations/indexes/index-status.js";
import type { OptionalIndex } from "../../migrations/indexes/optional-index.js";
import type { CommandContext, Report } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";

const KNOWN = ["metadata-index", "run-index"] as const satisfies readonly OptionalIndex[];

const names = z.array(z.enum(KNOWN)).default([]);

/** What the parser finds for {@link indexOptions}. */
export const indexFlags = { with: names, without: names };

interface IndexFlags {
  readonly with: readonly OptionalIndex[];
  readonly without: readonly OptionalIndex[];
}

/** The options of `migrate` about optional indexes. */
export function indexOptions(): Option[] {
  return [
    new Option(
      "--with <index...>",
      "create an optional index while agents go on writing: metadata-index for filters, run-index for delete-runs",
    ).choices(KNOWN),
    new Option("--without <index...>", "drop an optional index").choices(KNOWN).conflicts(["plan", "check"]),
  ];
}

/** Creates and drops what the flags name, and tells what became of it. */
export async function changeIndexes(
  { db, schema, style }: CommandContext,
  { with: wanted, without }: IndexFlags,
): Promise<Report> {
  const { createOptionalIndexes, dropOptionalIndexes } =
    await import("../../migrations/indexes/create-indexes.js");
  await dropOptionalIndexes(db, { schema, indexes: without });
  const states = await createOptionalIndexes(db, { schema, indexes: wanted });
  const dropped = without.map((index) => `\n${style.warning("dropped")} ${index}`);
  const created = wanted.map((index) => line(index, states[index] ?? "missing", style));
  return {
    exitCode: wanted.every((index) => states[index] === "ready") ? EXIT_CODE.ok : EXIT_CODE.no,
    text: [...dropped, ...created].join(""),
    json: { ...(wanted.length > 0 && { indexes: states }), ...(without.length > 0 && { dropped: without }) },
  };
}

/** Tells which of the indexes that are asked for are not there. */
export async function checkIndexes(
  { db, schema, style }: CommandContext,
  { with: wanted }: IndexFlags,
): Promise<Report> {
  if (wanted.length === 0) return { exitCode: EXIT_CODE.ok, text: "", json: {} };
  const { optionalIndexStatus } = await import("../../migrations/indexes/index-status.js");
  const states = await optionalIndexStatus(db, { schema });
  const absent = wanted.filter((index) => states[index] !== "ready");
  return {
    exitCode: absent.length === 0 ? EXIT_CODE.ok : EXIT_CODE.no,
    text: absent.map((index) => line(index, states[index], style)).join(""),
    json: { indexes: Object.fromEntries(wanted.map((index) => [index, states[index]])) },
  };
}

/** The SQL that would create them, to be run after the plan, since it can't be part of a transaction. */
export async function planIndexes(
  schema: string,
  { with: wanted }: IndexFlags,
): Promise<{ readonly text: string; readonly json: object }> {
  if (wanted.length === 0) return { text: "", json: {} };
  const { planOptionalIndexes } = await import("../../migrations/indexes/create-indexes.js");
  const statements = planOptionalIndexes({ schema, indexes: wanted });
  const lines = statements.map((statement) => `${statement};`);
  return {
    text: ["\n\n-- Optional indexes: each by itself, outside of transactions", ...lines].join("\n"),
    json: { indexes: statements },
  };
}

function line(index: OptionalIndex, state: IndexState, style: CommandContext["style"]): string {
  return `\n${state === "ready" ? style.good(state) : style.warning(state)} ${index}`;
}
