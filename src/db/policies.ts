import { type RawBuilder, sql } from "kysely";

/** What a role does with rows. */
export type RowCommand = "select" | "insert" | "update" | "delete";

/**
 * An expression for what row-level security lets the role do with no row of a table, since it is on and has no policy for that. Such a role
 * sees no row, and its writes are refused, whatever privileges it has: the default of providers that turn row-level security on.
 *
 * @param oid - The oid of the table.
 */
export function commandsWithoutPolicy(
  oid: RawBuilder<number> | RawBuilder<number | null>,
): RawBuilder<string[]> {
  return sql<string[]>`array(
    select commands.name from (values ('select', 'r'), ('insert', 'a'), ('update', 'w'), ('delete', 'd')) as commands (name, code)
    where row_security_active(${oid}) and not exists (
      select from pg_catalog.pg_policy
      where polrelid = ${oid} and polpermissive and polcmd::text in ('*', commands.code)
        and (0 = any (polroles) or exists (select from unnest(polroles) as member (role) where pg_has_role(role, 'usage')))))`;
}

/** Says that row-level security lets a role do nothing, and what to do. */
export function describeWithoutPolicy(tables: readonly string[]): string {
  const names = tables.map((table) => `"${table}"`).join(", ");
  return (
    `row-level security is on for ${names} and has no policy for this role, so that it sees no row and may store none. ` +
    "Create policies (docs/tenants.md), or turn it off as the owner of the tables: alter table … disable row level security"
  );
}
