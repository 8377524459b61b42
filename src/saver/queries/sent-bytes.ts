import { type RawBuilder, sql } from "kysely";

/** Precedes the version of a row whose bytes are too long to be sent with it. Base64 never contains it. */
export const LEFT_OUT = "@";

/** Precedes a digest in the place of a row's version. The version of a row never begins with it. */
const DIGEST = "#";

/** The name that queries give to the row of a blob or write. */
type Row = "stored" | "write";

/**
 * Selects the bytes of a row in base64. `pg` receives all results as text, and Postgres would write bytes in
 * hexadecimal, which is half as long again and slower to write, send and parse.
 *
 * For more than `pieceBytes` bytes it selects {@link LEFT_OUT} and the version of the row, with which the bytes can
 * be read in pieces. Text has a maximum length in Node.js and in Postgres. Postgres knows the length without reading
 * the bytes.
 *
 * @param hasSystemColumns - Otherwise a digest of the bytes tells versions of the row apart (N2).
 */
export function sentBytes(
  row: Row,
  pieceBytes: RawBuilder<number>,
  hasSystemColumns = true,
): RawBuilder<string | null> {
  const bytes = sql.ref<Uint8Array | null>(`${row}.blob`);
  const version = hasSystemColumns ? rowVersion(row) : rowDigest(row);
  return sql<string | null>`case when octet_length(${bytes}) > ${pieceBytes}::integer
    then ${sql.lit(LEFT_OUT)} || ${version} else encode(${bytes}, 'base64') end`;
}

/** Identifies the bytes of a row. It reads all of them, and so takes longer than {@link rowVersion}. */
export function rowDigest(row: Row): RawBuilder<string> {
  return sql<string>`${sql.lit(DIGEST)} || md5(${sql.ref(`${row}.blob`)})`;
}

/** Whether the version of a row that a read returned is a digest. */
export function isDigest(version: string): boolean {
  return version.startsWith(DIGEST);
}

/** Identifies one physical row version (xmin and ctid). */
export function rowVersion(row: Row): RawBuilder<string> {
  return sql<string>`${sql.ref(`${row}.xmin`)}::text || ${sql.ref(`${row}.ctid`)}::text`;
}
