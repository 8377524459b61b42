import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";

/**
 * Whether a header takes the value of the channel `carried.name` from an earlier one: the same number, or a value that only the earlier
 * header holds, in the same version. Python writes a whole float as 3.0, and JavaScript reads and writes it as 3. JSONB compares the two as equal, and keeps
 * the spelling of each. A number beyond 2^53 is in the earlier header only if Python wrote it as a float.
 */
export function takesInline(header: Expression<unknown>, earlier: Expression<unknown>): RawBuilder<SqlBool> {
  const there = sql`${earlier} -> 'channel_values' -> carried.name`;
  const here = sql`${header} -> 'channel_values' -> carried.name`;
  const isSameVersion = sql`${earlier} -> 'channel_versions' -> carried.name = ${header} -> 'channel_versions' -> carried.name`;
  return sql<SqlBool>`case when ${here} is null then ${there} is not null and ${isSameVersion} else ${there} = ${here} end`;
}

/** The inline values of a header. A damaged row whose values are not an object has none. */
export function eachInline(header: Expression<unknown>) {
  const values = sql`${header} -> 'channel_values'`;
  const entries = sql<{ name: string; value: unknown }>`
    jsonb_each(case when jsonb_typeof(${values}) = 'object' then ${values} end)`;
  return entries.as<"carried">(sql`carried(name, value)`);
}

/** The header with the values taken from an earlier one, which are an object or NULL. */
export function withInline(header: Expression<unknown>, taken: Expression<unknown>): RawBuilder<string> {
  const values = sql`coalesce(${header} -> 'channel_values', '{}') || ${taken}`;
  return sql<string>`coalesce(jsonb_set(${header}, '{channel_values}', ${values}), ${header})`;
}
