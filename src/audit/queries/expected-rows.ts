import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { THREAD_TABLES } from "../../saver/queries/select-thread-ids.js";

/** About how many rows the tables of threads have, by the statistics of the server; `undefined` where it has none. */
export async function expectedRows(call: CallContext): Promise<number | undefined> {
  const [row] = await runStatement(call, sums, { schema: call.schema, tables: THREAD_TABLES });
  return row?.rows ?? undefined;
}

const sums = new Statement<
  { readonly schema: string; readonly tables: readonly string[] },
  { readonly rows: number | null }
>((db, parameter) =>
  db.selectNoFrom(
    sql<number | null>`(
      select nullif(sum(greatest(held.reltuples, 0)), 0)::float8
      from unnest(${parameter("tables")}::text[]) as named(name)
      cross join lateral (select to_regclass(format('%I.%I', ${parameter("schema")}::text, named.name)) as root) as found
      join pg_catalog.pg_class as held
        on held.oid = found.root or held.oid in (select relid from pg_partition_tree(found.root))
      where held.relkind = 'r')`.as("rows"),
  ),
);
