import { holdTurn } from "../../db/grouping/take-turn.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { inOneTransaction, runTransaction } from "../../db/statements/run-statement.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import { DatabaseError } from "../../errors/index.js";
import { describeItem } from "../../errors/store-errors.js";
import { readBackupLines } from "../../parsing/backup-lines.js";
import { toNamespace } from "../codec/item-namespace-text.js";
import { idOf } from "../item-id.js";
import type { BackupRow } from "../queries/backup-row.js";
import { deleteExpired } from "../queries/delete-expired.js";
import { findDifferentItem } from "../queries/find-different-item.js";
import { restoreItems, type RestoredRow } from "../queries/restore-items.js";
import type { StoreCall } from "../store-call.js";
import { writingItems } from "../writing-items.js";
import type { ImportItemsReport } from "./item-backup-types.js";
import { absolutePrefix, ITEM_BACKUP, type ItemLine, parseItemLine } from "./item-line.js";
import { StoreBackupError } from "./store-backup-error.js";

/** The most items and characters of values that one transaction stores; a single longer value has a transaction of its own. */
const PORTION_ROWS = 1_000;
const PORTION_LENGTH = 8 * 2 ** 20;

/** The class of SQLSTATEs for data that a column can't hold, such as U+0000 in JSONB. */
const DATA_EXCEPTION = "22";

type Lines = AsyncIterable<unknown> | Iterable<unknown>;

/** Stores the items of a backup; see `importItems` of the store. */
export async function importItems(
  call: StoreCall,
  lines: Lines,
  onProgress: ((progress: ImportItemsReport) => void) | undefined,
): Promise<ImportItemsReport> {
  let report: ImportItemsReport = { items: 0, skipped: 0, expired: 0 };
  try {
    for await (const rows of portionsOf(call, lines)) {
      throwIfAborted(call.signal);
      const keys = rows.map((row) => idOf(row));
      const { alive, stored } = await holdTurn(call, call.groups?.writes, { keys }, () =>
        storePortion(call, rows),
      );
      report = {
        items: report.items + stored,
        skipped: report.skipped + alive - stored,
        expired: report.expired + rows.length - alive,
      };
      onProgress?.(report);
    }
    return report;
  } catch (error) {
    if (!(error instanceof StoreBackupError)) throw error;
    const { problem, line, cause } = error;
    throw new StoreBackupError(`${problem}; ${describeRestored(report)}`, { line, cause, restored: report });
  }
}

/**
 * Reads a backup without a database, and counts its items.
 *
 * @throws StoreBackupError when the input is not a backup, or when it is truncated or damaged.
 */
export async function inspectItems(lines: Lines): Promise<number> {
  const items = readItems(lines);
  let count = 0;
  while ((await items.next()).done !== true) count += 1;
  return count;
}

function readItems(lines: Lines): AsyncGenerator<ItemLine> {
  return readBackupLines<ItemLine>(ITEM_BACKUP, lines, parseItemLine);
}

async function* portionsOf({ settings }: StoreCall, lines: Lines): AsyncGenerator<BackupRow[]> {
  let rows: BackupRow[] = [];
  let length = 0;
  for await (const line of readItems(lines)) {
    const prefix = absolutePrefix(settings.root, line.prefix);
    if (prefix === "") throw new StoreBackupError(`item ${JSON.stringify(line.key)} has no namespace`);
    rows.push({ ...line, prefix });
    length += line.value.length;
    if (rows.length < PORTION_ROWS && length < PORTION_LENGTH) continue;
    yield rows;
    rows = [];
    length = 0;
  }
  if (rows.length > 0) yield rows;
}

/** Stores items in one transaction: all of them that are not stored, or none. */
async function storePortion(call: StoreCall, rows: readonly BackupRow[]): Promise<RestoredRow> {
  const { schema } = call;
  try {
    return await inOneTransaction(writingItems(call, rows), async (within) => {
      await rowsOf(within, deleteExpired(schema, rows));
      const [restored = { alive: 0, stored: 0 }] = await rowsOf(within, restoreItems(schema, rows));
      if (restored.stored === restored.alive) return restored;
      const [different] = await rowsOf(within, findDifferentItem(schema, rows));
      if (different === undefined) return restored;
      const item = describeItem({ namespace: toNamespace(different.prefix), key: different.key });
      throw new StoreBackupError(`${item} is already stored with different content`);
    });
  } catch (error) {
    const isRefused = error instanceof DatabaseError && error.sqlState?.startsWith(DATA_EXCEPTION) === true;
    if (!isRefused) throw error;
    throw new StoreBackupError(`the database can't hold an item of the backup: ${error.message}`, {
      cause: error,
    });
  }
}

async function rowsOf<Row>(call: StoreCall, statement: BoundStatement<Row>): Promise<Row[]> {
  const [rows = []] = await runTransaction(call, { statements: [statement] });
  return rows;
}

function describeRestored({ items, skipped }: ImportItemsReport): string {
  if (items + skipped === 0) return "nothing was restored";
  const alreadyStored = skipped === 0 ? "" : `; ${skipped} items were already stored`;
  return `restored before the error: ${items} items${alreadyStored}`;
}
