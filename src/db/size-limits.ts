const MEBIBYTE = 2 ** 20;

/** In which portions much data is sent. */
export interface SizeLimits {
  /** What one statement brings to the database, in bytes: more goes in several, within one transaction. */
  readonly statementBytes: number;
  /** What one row brings of a value, in bytes: a longer one is read in pieces of this size. */
  readonly pieceBytes: number;
}

/**
 * Neither is a limit of what can be stored. A piece is far from the longest string of Node (some 512 MiB), which base64
 * has to fit in, and a statement from the longest message of Postgres (1 GiB), also where a driver writes bytes in
 * hexadecimal. Smaller pieces would have Postgres unpack a compressed value more often: each time from its beginning.
 */
export const DEFAULT_SIZE_LIMITS: SizeLimits = {
  statementBytes: 64 * MEBIBYTE,
  pieceBytes: 32 * MEBIBYTE,
};
