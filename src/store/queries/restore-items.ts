import { sql } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { BackupRow } from "./backup-row.js";
import { givenItems, type RestoredItems, restoredItems } from "./restored-items.js";

/** How many items a statement of {@link restoreItems} has stored. */
export interface RestoredRow {
  /** The items whose time is not over. */
  readonly alive: number;
  /** Those of them that were not stored before. */
  readonly stored: number;
}

/** Stores items of a backup with their times and versions, unless an item with the same key exists. Returns one row. */
export function restoreItems(schema: string, rows: readonly BackupRow[]): BoundStatement<RestoredRow> {
  return statement.bind(schema, restoredItems(rows));
}

const COLUMNS = [
  "prefix",
  "key",
  "value",
  "created_at",
  "updated_at",
  "expires_at",
  "ttl_minutes",
  "version",
] as const;

const COUNT = /* @__PURE__ */ sql<number>`count(*)::float8`.as("count");

const statement = /* @__PURE__ */ new Statement<RestoredItems, RestoredRow>((db, parameter) =>
  db
    .with("alive", (qb) => qb.selectFrom(givenItems(parameter)).where(isAlive("given")).select(COLUMNS))
    .with("stored", (qb) =>
      qb
        .insertInto("store")
        .columns(COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom("alive")
            .select(COLUMNS)
            .orderBy(sql`prefix collate "C"`)
            .orderBy(sql`key collate "C"`),
        )
        .onConflict((conflict) => conflict.columns(["prefix", "key"]).doNothing())
        .returning("key"),
    )
    .selectNoFrom((eb) => [
      sql<number>`(${eb.selectFrom("alive").select(COUNT)})`.as("alive"),
      sql<number>`(${eb.selectFrom("stored").select(COUNT)})`.as("stored"),
    ]),
);
