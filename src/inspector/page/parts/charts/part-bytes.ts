/** What a part of the storage consists of. */
export interface PartBytes {
  readonly headerBytes: number;
  readonly valueBytes: number;
  readonly writeBytes: number;
}

/** The kinds of bytes, in the order of their bars. */
export const PART_NAMES = [
  ["valueBytes", "Values"],
  ["headerBytes", "Headers and metadata"],
  ["writeBytes", "Pending writes"],
] as const satisfies readonly (readonly [keyof PartBytes, string])[];

/** Returns the bytes of each kind, with the class that has its colour. */
export function partSeries(parts: readonly PartBytes[]) {
  return PART_NAMES.map(([name]) => ({ className: `bytes-${name}`, data: parts.map((part) => part[name]) }));
}

/** Returns all bytes of a part. */
export function bytesOf({ headerBytes, valueBytes, writeBytes }: PartBytes): number {
  return headerBytes + valueBytes + writeBytes;
}
