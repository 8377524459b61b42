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

/** All tables whose rows belong to the tenants of threads. */
export const TABLES_OF_TENANTS: readonly string[] = [...TENANT_TABLES, CONVERSATION_TABLE];
