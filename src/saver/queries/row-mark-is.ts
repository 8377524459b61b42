import { type RawBuilder, sql, type SqlBool } from "kysely";

/**
 * Whether the row `stored` has a mark of `rowMarkOf`: the length of what it holds, or a digest of it. Postgres knows the length without
 * reading the bytes, and a digest is never as short.
 */
export function rowMarkIs(mark: string): RawBuilder<SqlBool> {
  const known = sql.ref<string>(mark);
  return sql<SqlBool>`(${known} = octet_length(stored.blob)::text or ${known} = encode(sha256(stored.blob), 'hex'))`;
}
