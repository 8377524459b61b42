import { inOneTransaction } from "../db/statements/run-statement.js";
import { firstLineOf, formatLine, LinesChecksum, readBackupLines } from "../parsing/backup-lines.js";
import {
  type BackupRow,
  type BackupPage,
  getItemsToBackUp,
  findDifferentItem,
  restoreItems,
  type RestoredRow,
} from "./queries/backed-up-items.js";
import { type ItemKey, toNamespace, itemId } from "./queries/item-rows.js";
import { itemOperations, sendAlone, type StoreCall } from "./store-call.js";
import {
  ITEM_BACKUP,
  type ItemLine,
  type LastItemLine,
  relativePrefix,
  absolutePrefix,
  parseItemLine,
  StoreBackupError,
} from "./item-line.js";
import { runCall } from "../db/run-call.js";
import { holdTurn } from "../db/grouping/take-turn.js";
import { throwIfAborted } from "../db/statements/cancellation.js";
import { DatabaseError } from "../errors/index.js";
import { describeItem } from "../errors/store-errors.js";
import { deleteExpired } from "./queries/delete-items.js";
import { writingItems } from "./convert-items.js";
import type { ImportItemsReport } from "./store-options.js";

/** The most items and bytes of values that one statement reads. A single larger value is read by itself. */
const PAGE_SIZE = { rows: 1_000, bytes: 4 * 2 ** 20 };

/**
 * Yields the lines of a backup; see `exportItems` of the store.
 *
 * @param prefix - The scope.
 */
export async function* exportItems(
  call: StoreCall,
  prefix: string,
  pageSize = PAGE_SIZE,
): AsyncGenerator<string> {
  const checksum = new LinesChecksum();
  const added = (line: object): string => {
    const text = formatLine(line);
    checksum.add(text);
    return text;
  };
  let items = 0;
  yield added(firstLineOf(ITEM_BACKUP));
  for await (const row of storedItems(call, prefix, pageSize)) {
    items += 1;
    const line: ItemLine = { table: "store", ...row, prefix: relativePrefix(call.settings.root, row.prefix) };
    yield added(line);
  }
  const last: LastItemLine = { end: { items, sha256: checksum.digest() } };
  yield formatLine(last);
}

async function* storedItems(
  call: StoreCall,
  prefix: string,
  pageSize: typeof PAGE_SIZE,
): AsyncGenerator<BackupRow> {
  let after: ItemKey = { prefix: "", key: "" };
  let part: BackupPage["part"] = "following";
  for (;;) {
    const rows = await readPage(call, { prefix, after, part, ...pageSize });
    yield* rows;
    const last = rows.at(-1);
    if (last !== undefined) {
      after = last;
      part = "rest";
    } else if (part === "rest") part = "following";
    else return;
  }
}

function readPage(base: StoreCall, page: BackupPage): Promise<BackupRow[]> {
  return runCall(base, itemOperations["store.exportItems"], async (call) => {
    const rows = await sendAlone(call, getItemsToBackUp(call.schema, page));
    return rows.map(({ ttl_minutes: ttl, version, ...row }) => ({
      ...row,
      ttl_minutes: ttl === null ? null : Number(ttl),
      version: Number(version),
    }));
  });
}

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
      const keys = rows.map((row) => itemId(row));
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
      await sendAlone(within, deleteExpired(schema, rows));
      const [restored = { alive: 0, stored: 0 }] = await sendAlone(within, restoreItems(schema, rows));
      if (restored.stored === restored.alive) return restored;
      const [different] = await sendAlone(within, findDifferentItem(schema, rows));
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

function describeRestored({ items, skipped }: ImportItemsReport): string {
  if (items + skipped === 0) return "nothing was restored";
  const alreadyStored = skipped === 0 ? "" : `; ${skipped} items were already stored`;
  return `restored before the error: ${items} items${alreadyStored}`;
}
