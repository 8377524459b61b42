const MEBIBYTE = 2 ** 20;

/** The sizes of the portions in which large data is sent. */
export interface SizeLimits {
  /** How many bytes one statement sends. Larger data takes several statements in one transaction. */
  readonly statementBytes: number;
  /** How many bytes of a value one row returns. A longer value is read in pieces of this size. */
  readonly pieceBytes: number;
}

/**
 * Neither limits what can be stored. A base64 piece stays far below Node's longest string (about 512 MiB),
 * and a statement far below Postgres's longest message (1 GiB), even where a driver sends bytes in
 * hexadecimal. Smaller pieces would make Postgres decompress a compressed value more often, from its
 * beginning each time.
 */
export const DEFAULT_SIZE_LIMITS: SizeLimits = {
  statementBytes: 64 * MEBIBYTE,
  pieceBytes: 32 * MEBIBYTE,
};

/** A call whose statements have limits. */
interface LimitedCall {
  readonly policy: { readonly limits?: SizeLimits };
}

/** Returns the largest number of bytes of a value that a row contains. */
export function pieceBytesOf({ policy: { limits = DEFAULT_SIZE_LIMITS } }: LimitedCall): number {
  return limits.pieceBytes;
}

/** The size up to which values go into one statement, in bytes. */
export function statementBytesOf({ policy: { limits = DEFAULT_SIZE_LIMITS } }: LimitedCall): number {
  return limits.statementBytes;
}
