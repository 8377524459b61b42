import type { OpenTransaction } from "../in-locked-transaction.js";
import { sql } from "kysely";
import { readList, selectedList } from "../../db/selected-list.js";
import { MigrationError } from "../../errors/index.js";
import {
  readTables,
  type TableState,
  CONVERTED_TABLES,
  nextName,
  PROGRESS_TABLE,
} from "./conversion-state.js";
import { compareNextRows, copyNextRows, type ReadRows } from "./copy-rows.js";
import { createReplacements } from "./create-replacements.js";
import type { PartitionLayout } from "./partition-layout.js";
import { dropReplacements, replaceTables } from "./replace-tables.js";

/** What a step has done. */
export type StepResult =
  | { readonly kind: "begun" | "nothing" }
  /** With the layout that the tables would have got. */
  | { readonly kind: "given-up"; readonly layout: string | undefined }
  | { readonly kind: "replaced"; readonly rows: Readonly<Record<string, number>> }
  | ({ readonly kind: "moved"; readonly isEnd: boolean } & TableProgress);

/** How far the conversion of a table is. */
export interface TableProgress {
  /** The name of the table. */
  readonly table: string;
  /** Rows are copied first, and then compared with their copies. */
  readonly phase: "copy" | "compare";
  /** The number of rows that the phase has read. */
  readonly rows: number;
  /** About how many rows the table has, by the statistics of Postgres. */
  readonly estimatedRows: number;
}

/**
 * Makes the next step from what the catalog says. All of a step happens in one transaction, or nothing, so that a conversion which
 * ended anywhere goes on from there.
 *
 * @param limit - The largest number of rows to copy or compare.
 * @returns `nothing` if the tables have the layout, and no conversion is under way.
 */
export async function makeStep(
  db: OpenTransaction,
  schema: string,
  layout: PartitionLayout,
  limit: number,
): Promise<StepResult> {
  const tables = await readTables(db, schema);
  if (tables.length < CONVERTED_TABLES.length) {
    throw new MigrationError(`schema "${schema}" has no tables of a saver to convert`);
  }
  const pending = tables.filter((state) => state.layout !== layout || state.next !== undefined);
  if (pending.length === 0) return { kind: "nothing" };
  if (pending.every(({ next }) => next === undefined)) {
    await createReplacements(db, schema, pending, layout);
    return { kind: "begun" };
  }
  if (!isGoingOn(pending, layout)) {
    await dropReplacements(db, schema, pending);
    return { kind: "given-up", layout: pending.find(({ next }) => next !== undefined)?.next };
  }
  const progress = await readProgress(db, schema);
  const current = progress.find(({ phase }) => phase !== "done");
  if (current !== undefined) return move(db, schema, stateOf(pending, current.name), current, limit);
  const isReady = async () => {
    const now = await readTables(db, schema);
    return isGoingOn(
      now.filter(({ table }) => pending.some((state) => state.table === table)),
      layout,
    );
  };
  if (!(await replaceTables(db, schema, pending, isReady))) return { kind: "begun" };
  return { kind: "replaced", rows: Object.fromEntries(progress.map(({ name, rows }) => [name, rows])) };
}

/** Whether the replacements have this layout, and everything that the tables have now. */
function isGoingOn(tables: readonly TableState[], layout: PartitionLayout): boolean {
  return tables.every(({ next, isMirrored }) => next === layout && isMirrored);
}

interface Progress {
  readonly name: string;
  readonly phase: "copy" | "compare" | "done";
  readonly last: readonly string[] | null;
  readonly rows: number;
}

async function readProgress(db: OpenTransaction, schema: string): Promise<Progress[]> {
  const { rows } = await sql<Omit<Progress, "last"> & { readonly last: string | null }>`
    select name, phase, ${selectedList(sql<string[]>`last`)} as last, rows::float8 as rows
    from ${sql.id(schema, PROGRESS_TABLE)}`.execute(db);
  const order = CONVERTED_TABLES.map(({ name }): string => name);
  const read = rows.map((row) => ({ ...row, last: row.last === null ? null : readList(row.last) }));
  return read.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

function stateOf(tables: readonly TableState[], name: string): TableState {
  const found = tables.find(({ table }) => table.name === name);
  if (found === undefined) throw new MigrationError(`"${PROGRESS_TABLE}" names the unknown table "${name}"`);
  return found;
}

async function move(
  db: OpenTransaction,
  schema: string,
  state: TableState,
  { phase, last, rows }: Progress,
  limit: number,
): Promise<StepResult> {
  const isCopy = phase === "copy";
  const read = await (isCopy ? copyNextRows : compareNextRows)(db, schema, state, last, limit);
  const isEnd = read.rows < limit;
  const counted = rows + read.rows;
  await record(db, schema, state, isEnd ? atEnd(isCopy, counted) : { phase, last: read.last, rows: counted });
  // Otherwise the first statements after the replacement would be planned without statistics.
  if (isEnd && !isCopy) await sql`analyze ${sql.id(schema, nextName(state.table))}`.execute(db);
  const { table, estimatedRows } = state;
  return {
    kind: "moved",
    isEnd,
    table: table.name,
    phase: isCopy ? "copy" : "compare",
    rows: counted,
    estimatedRows,
  };
}

function atEnd(isCopy: boolean, rows: number): Omit<Progress, "name"> {
  return isCopy ? { phase: "compare", last: null, rows: 0 } : { phase: "done", last: null, rows };
}

async function record(
  db: OpenTransaction,
  schema: string,
  { table }: TableState,
  { phase, last, rows }: Omit<Progress, "name"> & { readonly last: ReadRows["last"] },
): Promise<void> {
  await sql`update ${sql.id(schema, PROGRESS_TABLE)}
    set phase = ${phase}, last = ${last}::text[], rows = ${rows}::bigint where name = ${table.name}`.execute(
    db,
  );
}
