import { CompiledQuery } from "kysely";
import type { TestDatabase } from "../../../test-support/targets.js";

/**
 * Returns a function that returns the number and the digest of all rows of a database, always on the same connection.
 */
export async function snapshotOf(database: TestDatabase): Promise<() => Promise<object>> {
  const tables = await database.query<{ part: string }>(
    `select format('select %L || row_::text as line from %I.%I as row_', table_name, table_schema, table_name) as part
     from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const lines = tables.map(({ part }) => part).join(" union all ");
  const query = CompiledQuery.raw(
    `select count(*)::int as rows, md5(string_agg(line, chr(10) order by line)) as digest from (${lines}) as lines`,
  );
  const kysely = database.kysely<object>();
  return async () => (await kysely.executeQuery<object>(query)).rows[0] ?? {};
}
