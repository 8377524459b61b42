import { runTransaction } from "../../db/statements/run-statement.js";
import { firstLineOf, formatLine, LinesChecksum } from "../../parsing/backup-lines.js";
import type { BackupRow } from "../queries/backup-row.js";
import { type BackupPage, getBackupPage } from "../queries/get-items-to-back-up.js";
import type { ItemKey } from "../queries/item-keys.js";
import { storeOperations, type StoreCall } from "../store-call.js";
import { ITEM_BACKUP, type ItemLine, type LastItemLine, relativePrefix } from "./item-line.js";
import { runCall } from "../../db/run-call.js";

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
  return runCall(base, storeOperations["store.exportItems"], async (call) => {
    const [rows = []] = await runTransaction(call, { statements: [getBackupPage(call.schema, page)] });
    return rows.map(({ ttl_minutes: ttl, version, ...row }) => ({
      ...row,
      ttl_minutes: ttl === null ? null : Number(ttl),
      version: Number(version),
    }));
  });
}
