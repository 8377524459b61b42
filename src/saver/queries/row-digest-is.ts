import { type RawBuilder, sql, type SqlBool } from "kysely";

/** Whether the row `stored` holds the bytes with a SHA-256 digest. */
export function rowDigestIs(digest: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`sha256(stored.blob) = ${sql.ref(digest)}`;
}
