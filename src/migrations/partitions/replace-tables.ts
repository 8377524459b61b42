import type { OpenTransaction } from "../in-locked-transaction.js";
import { sql, type RawBuilder } from "kysely";
import {
  type TableState,
  mirrorName,
  nextName,
  PROGRESS_TABLE,
  truncateMirrorName,
  indexesOf,
  type ConvertedTable,
} from "./conversion-state.js";
import { refuseDependents } from "./obstacles.js";
import { oidOf } from "../catalog-expressions.js";

/**
 * Puts the replacements into the places of the tables, and drops the old ones. It locks out all readers and writers for as long as
 * the catalog takes. Postgres removes the files after it has released the locks.
 *
 * @returns Whether it did. Not if `isReady` finds, when the tables are locked, that they have changed meanwhile.
 */
export async function replaceTables(
  db: OpenTransaction,
  schema: string,
  tables: readonly TableState[],
  isReady: () => Promise<boolean>,
): Promise<boolean> {
  const locked = sql.join(tables.map(({ table }) => sql.id(schema, table.name)));
  await sql`lock table ${locked} in access exclusive mode`.execute(db);
  if (!(await isReady())) return false;
  // Some of them would not keep the table from being dropped.
  await refuseDependents(db, schema, tables);
  const statements: string[] = [];
  for (const { table } of tables) statements.push(...(await readCarriedOver(db, schema, table)));
  // In one statement, since policies of one table may read another one.
  await sql`drop table ${sql.join(tables.map(({ table }) => sql.id(schema, table.name)))}`.execute(db);
  for (const { table } of tables) {
    await sql`alter table ${sql.id(schema, nextName(table))} rename to ${sql.id(table.name)}`.execute(db);
  }
  for (const statement of statements) await sql.raw(statement).execute(db);
  await dropMirrors(db, schema, tables);
  return true;
}

/** Gives a conversion up: drops the triggers, in the order of writers (C2), and the replacements. The tables stay as they are. */
export async function dropReplacements(
  db: OpenTransaction,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  for (const { table } of tables) {
    for (const name of [mirrorName(table), truncateMirrorName(table)]) {
      await sql`drop trigger if exists ${sql.id(name)} on ${sql.id(schema, table.name)}`.execute(db);
    }
    await db.withSchema(schema).schema.dropTable(nextName(table)).ifExists().execute();
  }
  await dropMirrors(db, schema, tables);
}

async function dropMirrors(
  db: OpenTransaction,
  schema: string,
  tables: readonly TableState[],
): Promise<void> {
  for (const { table } of tables) {
    await sql`drop function if exists ${sql.id(schema, mirrorName(table))}()`.execute(db);
  }
  await db.withSchema(schema).schema.dropTable(PROGRESS_TABLE).ifExists().execute();
}

/**
 * Returns the statements that give a replacement what its columns and indexes do not bring along: privileges, row-level security,
 * policies, triggers, a comment, and the names of the indexes. Postgres writes them itself, and quotes all names. They run after the
 * replacement has got the name of its table.
 */
async function readCarriedOver(
  db: OpenTransaction,
  schema: string,
  table: ConvertedTable,
): Promise<readonly string[]> {
  const oid = oidOf(schema, table.name);
  const place = sql`${schema}::text, ${table.name}::text`;
  const grantee = sql`case when entry.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(entry.grantee)::text) end`;
  const option = sql`case when entry.is_grantable then ' with grant option' else '' end`;
  const { rows } = await sql<{ statement: string }>`
    select format('alter index %I.%I rename to %I', ${schema}::text, replacement.name, original.name) as statement
    from ${indexesOf(oid)} as original
    join ${indexesOf(oidOf(schema, nextName(table)))} as replacement using (signature, nth)
    union all
    select format('grant %s on table %I.%I to %s%s', entry.privilege_type, ${place}, ${grantee}, ${option})
    from pg_class, aclexplode(relacl) as entry where oid = ${oid} and entry.grantee <> relowner
    union all
    select format('grant %s (%I) on table %I.%I to %s%s', entry.privilege_type, attname, ${place}, ${grantee}, ${option})
    from pg_attribute, aclexplode(attacl) as entry where attrelid = ${oid} and attnum > 0 and not attisdropped
    union all
    select format('alter table %I.%I %s row level security', ${place}, setting)
    from pg_class, unnest(array[
      case when relrowsecurity then 'enable' end, case when relforcerowsecurity then 'force' end]) as setting
    where oid = ${oid} and setting is not null
    union all
    -- Without policies of their own: whoever is granted a partition itself sees no row there.
    select format('alter table %s enable row level security', part.inhrelid::regclass)
    from pg_class, pg_inherits as part
    where oid = ${oid} and relrowsecurity and part.inhparent = ${oidOf(schema, nextName(table))}
    union all
    select format('create policy %I on %I.%I as %s for %s to %s', polname, ${place},
        case when polpermissive then 'permissive' else 'restrictive' end,
        case polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
        (select string_agg(case when role = 0 then 'public' else quote_ident(pg_get_userbyid(role)::text) end, ', ')
          from unnest(polroles) as role))
      || coalesce(' using (' || pg_get_expr(polqual, polrelid) || ')', '')
      || coalesce(' with check (' || pg_get_expr(polwithcheck, polrelid) || ')', '')
    from pg_policy where polrelid = ${oid}
    union all
    select pg_get_triggerdef(oid) from pg_trigger where ${isCarried(oid, table)}
    union all
    select format('alter table %I.%I %s trigger %I', ${place},
      case tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, tgname)
    from pg_trigger where ${isCarried(oid, table)} and tgenabled <> 'O'
    union all
    -- Also where there is none, since the replacement has one.
    select format('comment on table %I.%I is %s', ${place}, coalesce(quote_literal(obj_description(${oid}, 'pg_class')), 'null'))
    union all
    select format('alter table %I.%I alter column %I set (%s)', ${place}, attname, array_to_string(attoptions, ', '))
    from pg_attribute where attrelid = ${oid} and attnum > 0 and not attisdropped and attoptions is not null
    union all
    select format('alter table %I.%I alter column %I set statistics %s', ${place}, attname, attstattarget)
    from pg_attribute where attrelid = ${oid} and attnum > 0 and not attisdropped and attstattarget >= 0`.execute(
    db,
  );
  return rows.map(({ statement }) => statement);
}

/** A condition for the triggers of an application. */
function isCarried(oid: RawBuilder<number | null>, table: ConvertedTable): RawBuilder<boolean> {
  const mirrors = [mirrorName(table), truncateMirrorName(table)];
  return sql<boolean>`tgrelid = ${oid} and not tgisinternal and not tgname = any (${mirrors}::text[])`;
}
