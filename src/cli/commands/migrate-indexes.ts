import { answer, NOTHING_ASKED, sqlSection, success } from "./reports.js";
import { withinTime } from "../../db/async/within-time.js";
import { CheckpointError } from "../../errors/index.js";
import type { IndexProgress } from "../../migrations/indexes/index-progress.js";
import type { IndexState, OptionalIndex } from "../../migrations/indexes/optional-index.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";
import type { CommandContext, Report } from "../command-definition.js";
import { humanBytes, timeLeft } from "../output/format-numbers.js";

/** How long an interrupted command may take to drop unfinished indexes, and then to read their states, in milliseconds. */
const CLEANUP_TIMEOUT_MS = 1_000;

/** Which indexes to create and to drop. */
export interface IndexFlags {
  readonly with: readonly OptionalIndex[];
  readonly without: readonly OptionalIndex[];
  /** The text search configuration of a new index of texts. */
  readonly textSearchLanguage?: string | undefined;
}

/**
 * Creates and drops the indexes of the flags, and reports their states. An interrupt cancels the statement on the server, and
 * unfinished indexes are dropped.
 */
export async function changeIndexes(context: CommandContext, flags: IndexFlags): Promise<Report> {
  const { db, schema, style, signal } = context;
  const { with: wanted, without, textSearchLanguage } = flags;
  if (wanted.length + without.length === 0) return NOTHING_ASKED;
  const { createOptionalIndexes, dropOptionalIndexes } =
    await import("../../migrations/indexes/create-indexes.js");
  let states: Partial<Record<OptionalIndex, IndexState>>;
  try {
    await dropOptionalIndexes(db, { schema, indexes: without });
    states = await withBar(context, () =>
      createOptionalIndexes(db, { schema, indexes: wanted, textSearchLanguage }),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    const states = await describeInterrupted(context, flags);
    throw new CheckpointError("ABORTED", `interrupted: schema "${schema}" is up to date; ${states}`, {
      cause: error,
    });
  }
  const dropped = without.map((index) => `\n${style.warning("dropped")} ${index}`);
  const created = wanted.map((index) => line(index, states[index] ?? "missing", style));
  return answer(
    wanted.every((index) => states[index] === "ready"),
    [...dropped, ...created].join(""),
    { ...(wanted.length > 0 && { indexes: states }), ...(without.length > 0 && { dropped: without }) },
  );
}

/** Shows how far each phase of each index is. */
async function withBar<T>({ db, schema, terminal }: CommandContext, build: () => Promise<T>): Promise<T> {
  const { whileIndexing } = await import("../../migrations/indexes/index-progress.js");
  const bar = terminal.progress("indexing", PERCENT);
  let current = "";
  let began = performance.now();
  const onProgress = ({ table, tableBytes, phase, done, total }: IndexProgress): void => {
    const what = `${phase} of ${table} (${humanBytes(tableBytes)})`;
    if (what !== current) began = performance.now();
    current = what;
    const left = total === 0 ? "" : timeLeft(done, total, performance.now() - began);
    bar.update(total === 0 ? 0 : (PERCENT * done) / total, what + left);
  };
  try {
    return await whileIndexing(plainKysely(db), { schema, onProgress }, build);
  } finally {
    bar.stop();
  }
}

const PERCENT = 100;

/** Drops unfinished indexes, and describes the state of each index on one line. */
async function describeInterrupted(
  { dbUntil, schema }: CommandContext,
  { with: wanted, without }: IndexFlags,
): Promise<string> {
  const { dropBrokenIndexes } = await import("../../migrations/indexes/create-indexes.js");
  const { optionalIndexStatus } = await import("../../migrations/indexes/optional-index.js");
  const limit = { limitMs: CLEANUP_TIMEOUT_MS };
  try {
    await withinTime(limit, (signal) => dropBrokenIndexes(dbUntil(signal), { schema, indexes: wanted }));
  } catch {
    // A transaction that blocked the creation of the index may block the drop too. The state below shows that.
  }
  try {
    const states = await withinTime(limit, (signal) => optionalIndexStatus(dbUntil(signal), { schema }));
    return [...without, ...wanted].map((index) => describeState(index, states[index])).join(", ");
  } catch {
    return "`migrate status` shows the states of the indexes";
  }
}

function describeState(index: OptionalIndex, state: IndexState): string {
  if (state === "broken") {
    return `${index} is broken: \`migrate --with ${index}\` rebuilds it, \`migrate --without ${index}\` drops it`;
  }
  return `${index} is ${state}`;
}

/** Reports which of the requested indexes are not ready. */
export async function pendingIndexes(
  { db, schema, style }: CommandContext,
  { with: wanted }: IndexFlags,
): Promise<Report> {
  if (wanted.length === 0) return NOTHING_ASKED;
  const { optionalIndexStatus } = await import("../../migrations/indexes/optional-index.js");
  const states = await optionalIndexStatus(db, { schema });
  const absent = wanted.filter((index) => states[index] !== "ready");
  return answer(absent.length === 0, absent.map((index) => line(index, states[index], style)).join(""), {
    indexes: Object.fromEntries(wanted.map((index) => [index, states[index]])),
  });
}

/** The SQL that would create the indexes. It follows the plan, since it can't run in a transaction. */
export async function planIndexes(
  { db, schema }: CommandContext,
  { with: wanted, textSearchLanguage }: IndexFlags,
): Promise<Report> {
  if (wanted.length === 0) return NOTHING_ASKED;
  const { planOptionalIndexes } = await import("../../migrations/indexes/create-indexes.js");
  const statements = await planOptionalIndexes(db, { schema, indexes: wanted, textSearchLanguage });
  const title = "Optional indexes: run each statement on its own, outside a transaction";
  return success(`\n\n${sqlSection(title, statements)}`, { indexes: statements });
}

function line(index: OptionalIndex, state: IndexState, style: CommandContext["style"]): string {
  return `\n${state === "ready" ? style.good(state) : style.warning(state)} ${index}`;
}
