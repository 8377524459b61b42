import { sql } from "kysely";
import { hasNodes } from "../../db/placement/placement.js";
import { commandsWithoutPolicy } from "../../db/call-context.js";
import { selectedList } from "../../db/selected-list.js";
import { Statement } from "../../db/statements/statement.js";

/** The state of the server, and the privileges of the role on the tables of a schema. Lists are as `selectedList` selects them. */
export interface ServerState {
  readonly version: string;
  readonly role: string;
  /** Whether it accepts no writes: it is a standby, or transactions are read-only by default. */
  readonly is_read_only: boolean;
  /** Whether the server may keep rows on nodes. */
  readonly has_nodes: boolean;
  /** The privileges that the role lacks on existing tables, such as `insert on checkpoints`. */
  readonly missing_privileges: string;
  /** The tables whose row-level security has no policy by which the role sees a row or may store one. */
  readonly without_policy: string;
  /** The tables whose row-level security applies to the role. */
  readonly secured_tables: string;
}

interface ServerStateParams {
  readonly schema: string;
  readonly tables: readonly string[];
}

/**
 * Reads the state of the server and the privileges of the role in one statement. It only queries the catalog, which needs no
 * privileges.
 */
export const serverState = /* @__PURE__ */ new Statement<ServerStateParams, ServerState>((db, parameter) => {
  const relations = sql`pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = ${parameter("schema")} and relation.relname = any (${parameter("tables")}::text[])`;
  return db.selectNoFrom([
    sql<string>`current_setting('server_version')`.as("version"),
    sql<string>`current_user::text`.as("role"),
    sql<boolean>`current_setting('transaction_read_only')::boolean`.as("is_read_only"),
    hasNodes().as("has_nodes"),
    selectedList(sql<string[]>`array(
      select privilege || ' on ' || relation.relname
      from unnest(array['select', 'insert', 'update', 'delete']) as privilege, ${relations}
        and not has_table_privilege(relation.oid, privilege)
      order by 1)`).as("missing_privileges"),
    selectedList(sql<string[]>`array(
      select relation.relname::text from ${relations}
        and array['select', 'insert'] && ${commandsWithoutPolicy(sql.ref<number>("relation.oid"))} order by 1)`).as(
      "without_policy",
    ),
    selectedList(sql<string[]>`array(
      select relation.relname::text from ${relations} and row_security_active(relation.oid) order by 1)`).as(
      "secured_tables",
    ),
  ]);
});
