import { createQueryId, PostgresQueryCompiler, type RawBuilder, sql, type Transaction } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { TableState } from "./conversion-state.js";
import { mirrorName, nextName, truncateMirrorName } from "./converted-tables.js";

/**
 * Creates the triggers that repeat each change of a table in its replacement, within the transaction of the change (C15). They run as
 * the owner of the table: the roles that write have no privilege on the replacement, and no policy applies to it.
 */
export async function createMirror(
  db: Transaction<CheckpointDatabase>,
  schema: string,
  state: TableState,
): Promise<void> {
  const { table } = state;
  const mirror = sql.id(mirrorName(table));
  const truncated = sql.id(truncateMirrorName(table));
  const original = sql.id(schema, table.name);
  const procedure = sql`${sql.id(schema, mirrorName(table))}()`;
  await sql`create function ${procedure} returns trigger language plpgsql security definer
    set search_path = pg_catalog, pg_temp as ${sql.lit(bodyOf(schema, state))}`.execute(db);
  // Otherwise any role could make it the trigger of a table of its own, and write into the replacement.
  await sql`revoke all on function ${procedure} from public`.execute(db);
  await sql`create trigger ${mirror} after insert or update or delete on ${original}
    for each row execute function ${procedure}`.execute(db);
  await sql`create trigger ${truncated} after truncate on ${original}
    for each statement execute function ${procedure}`.execute(db);
  // Also for rows that logical replication writes.
  await sql`alter table ${original} enable always trigger ${mirror}, enable always trigger ${truncated}`.execute(
    db,
  );
}

function bodyOf(schema: string, { table, columns }: TableState): string {
  const next = sql.id(schema, nextName(table));
  const key = table.key.map(({ name }) => name);
  const values = columns.filter((name) => !key.includes(name));
  const insert = (row: "old" | "new") =>
    sql`insert into ${next} (${columnList(columns)}) values (${columnListOf(row, columns)}) on conflict (${columnList(key)})`;
  const replaced = sql.join(values.map((name) => sql`${sql.id(name)} = ${sql.id("excluded", name)}`));
  const [first = ""] = values;
  return compile(sql`
    begin
      if tg_op = 'TRUNCATE' then
        truncate ${next};
        return null;
      end if;
      if tg_op = 'DELETE' or tg_op = 'UPDATE' and (${columnListOf("old", key)}) is distinct from (${columnListOf("new", key)}) then
        -- Where a transaction has one snapshot, a row that was copied after it is hidden from "delete". Then "on conflict" ends the
        -- transaction as a serialization failure.
        if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
          ${insert("old")} do update set ${sql.id(first)} = ${sql.id("excluded", first)} where false;
        end if;
        delete from ${next} where (${columnList(key)}) = (${columnListOf("old", key)});
      end if;
      if tg_op <> 'DELETE' then
        ${insert("new")} do update set ${replaced};
      end if;
      return null;
    end`);
}

/** A list of columns. */
export function columnList(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.id(name)));
}

/** A list of the columns of a row. */
export function columnListOf(row: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.id(row, name)));
}

function compile(statement: RawBuilder<unknown>): string {
  return new PostgresQueryCompiler().compileQuery(statement.toOperationNode(), createQueryId()).sql;
}
