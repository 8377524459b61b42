import { sql } from "kysely";
import { type BoundStatement, Statement } from "./statements/statement.js";

/** The setting that the row-level security policies compare with; see docs/tenants.md. */
export const TENANT_SETTING = "langgraph.tenant_id";

/** The tables of the savers that hold rows of tenants. */
export const TENANT_TABLES: readonly string[] = [
  "checkpoints",
  "checkpoint_blobs",
  "checkpoint_writes",
  "checkpoint_tombstones",
];

/** The optional table of conversations, which belong to tenants as their threads do. */
export const CONVERSATION_TABLE = "checkpoint_conversations";

/** Sets the tenant for the rest of the transaction, and not of the session (C12). */
export function setTenant(tenantId: string): BoundStatement<unknown> {
  return setSetting.bind("", { tenantId });
}

/** Restores the tenant in a passed-in transaction. */
export function resetTenant(previous: string | null): BoundStatement<unknown> {
  return setTenant(previous ?? "");
}

/** Reads the tenant of the transaction. */
export function currentTenant(): BoundStatement<{ tenant_id: string | null }> {
  return getSetting.bind("", {});
}

const setSetting = new Statement<{ readonly tenantId: string }, unknown>((db, parameter) =>
  db.selectNoFrom(
    sql<string>`set_config(${sql.lit(TENANT_SETTING)}, ${parameter("tenantId")}, true)`.as("tenant_id"),
  ),
);

const getSetting = new Statement<object, { tenant_id: string | null }>((db) =>
  db.selectNoFrom(sql<string | null>`current_setting(${sql.lit(TENANT_SETTING)}, true)`.as("tenant_id")),
);
