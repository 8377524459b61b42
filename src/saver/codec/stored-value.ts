import { LEFT_OUT } from "../queries/sent-row.js";
import type { ChainRowOfPage } from "../queries/get-chains.js";

/** The tag of rows without one, which the first versions of the official savers wrote. */
export const UNTAGGED = "json";

/** A value as it comes out of its row. */
export interface StoredValue {
  readonly type: string | null;
  /** `null` also where the bytes are too many to come with the row. */
  readonly blob: Uint8Array | null;
  /** The version of the row, where its bytes have to be fetched. */
  readonly rowVersion?: string;
  /** The version that a splice refers to. `null` also where it was not read. */
  readonly base: string | null;
}

/** A value from the columns of its row. */
export function storedValueOf(
  type: string | null,
  sent: string | null,
  base: string | null = null,
): StoredValue {
  if (sent === null) return { type, blob: null, base };
  if (sent.startsWith(LEFT_OUT)) return { type, blob: null, base, rowVersion: sent.slice(LEFT_OUT.length) };
  return { type, blob: Buffer.from(sent, "base64"), base };
}

/** The rows of one channel by version: a value, its base, the base of that, and so on. */
export type ChainRows = (version: string) => StoredValue | undefined;

/** The rows of one channel, by version. */
export function chainRowsOf(rows: readonly ChainRowOfPage[]): ChainRows {
  const byVersion = new Map(
    rows.map(({ version, type, blob, base }) => [version, storedValueOf(type, blob, base)]),
  );
  return (version) => byVersion.get(version);
}
