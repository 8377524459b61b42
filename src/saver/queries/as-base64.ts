import { type Expression, type RawBuilder, sql } from "kysely";

/**
 * Bytes as a row brings them: `pg` takes all results as text, and Postgres would write them in hexadecimal, which is
 * half as long again as base64 and takes longer to write, to send and to read.
 */
export function asBase64(bytes: Expression<Uint8Array | null>): RawBuilder<string | null> {
  return sql<string | null>`encode(${bytes}, ${sql.lit("base64")})`;
}
