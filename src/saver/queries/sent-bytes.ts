import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { DEFAULT_SIZE_LIMITS } from "../../db/size-limits.js";

/** What stands before the version of a row whose bytes are too many to come with it; never in base64. */
export const LEFT_OUT = "@";

/** The name that a query gives to the row of a blob or write. */
type Row = "stored" | "write";

/**
 * The bytes of a row as a read brings them, in base64: `pg` takes all results as text, and Postgres would write them in
 * hexadecimal, which is half as long again and takes longer to write, to send and to read.
 *
 * Of more than `pieceBytes` bytes it brings {@link LEFT_OUT} and the row's version, by which they can be asked for in
 * pieces: text has a longest length, in Node as in Postgres. How many they are Postgres knows without reading them.
 */
export function sentBytes(row: Row, pieceBytes: RawBuilder<number>): RawBuilder<string | null> {
  const bytes = sql.ref<Uint8Array | null>(`${row}.blob`);
  return sql<string | null>`case when octet_length(${bytes}) > ${pieceBytes}::integer
    then ${sql.lit(LEFT_OUT)} || ${rowVersion(row)} else encode(${bytes}, 'base64') end`;
}

/** What a row is told by from the one that replaces it: who wrote it, and where it stands. */
export function rowVersion(row: Row): RawBuilder<string> {
  return sql<string>`${sql.ref(`${row}.xmin`)}::text || ${sql.ref(`${row}.ctid`)}::text`;
}

/** How many bytes of a value a row brings at most. */
export function pieceBytesOf({ policy: { limits = DEFAULT_SIZE_LIMITS } }: CallContext): number {
  return limits.pieceBytes;
}
