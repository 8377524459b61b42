import { sql, type SqlBool } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { BackupRow } from "./backup-row.js";
import type { ItemKey } from "./item-keys.js";
import { givenItems, type RestoredItems, restoredItems } from "./restored-items.js";

/**
 * Finds an item that is stored with another value, version or time than in a backup. The time of its expiry does not count, since a read
 * may have started it again. Returns one row, or none.
 */
export function findDifferentItem(schema: string, rows: readonly BackupRow[]): BoundStatement<ItemKey> {
  return statement.bind(schema, restoredItems(rows));
}

const statement = /* @__PURE__ */ new Statement<RestoredItems, ItemKey>((db, parameter) =>
  db
    .selectFrom(givenItems(parameter))
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "given.prefix").onRef("store.key", "=", "given.key"),
    )
    .where(isAlive("given"))
    // As texts: 3.0 equals 3 in JSONB, but is another text.
    .where(
      sql<SqlBool>`(store.value::text, store.version, store.created_at, store.updated_at)
        is distinct from (given.value::text, given.version, given.created_at, given.updated_at)`,
    )
    .select(["given.prefix", "given.key"])
    .limit(1),
);
