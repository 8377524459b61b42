/** A value as it comes out of its row. */
export interface StoredValue {
  readonly type: string | null;
  readonly blob: Uint8Array | null;
}

/** The value in a row whose bytes came as base64. */
export function storedValueOf({ type, blob }: { type: string | null; blob: string | null }): StoredValue {
  return { type, blob: blob === null ? null : Buffer.from(blob, "base64") };
}
