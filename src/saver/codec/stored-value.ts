/** A value as it comes out of its row. */
export interface StoredValue {
  readonly type: string | null;
  readonly blob: Uint8Array | null;
}

/** A value from the columns of its row, where the bytes came as base64. */
export function storedValueOf(type: string | null, base64: string | null): StoredValue {
  return { type, blob: base64 === null ? null : Buffer.from(base64, "base64") };
}
