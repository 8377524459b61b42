import { LEFT_OUT } from "../queries/sent-bytes.js";

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
