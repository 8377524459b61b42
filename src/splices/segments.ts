/** Bytes of a value that are equal to bytes of an earlier value. */
export interface Segment {
  /** The position in the value, in bytes. */
  readonly at: number;
  /** The position in the earlier value. */
  readonly from: number;
  readonly length: number;
}

/**
 * The shortest segment that is worth copying. The description of a shorter one takes about as many bytes as the bytes themselves.
 */
export const MIN_SEGMENT_BYTES = 16;

/** The number of bytes in segments. */
export function copiedBytes(segments: readonly Segment[]): number {
  return segments.reduce((sum, { length }) => sum + length, 0);
}

/**
 * The segments between a value and the base of its base.
 *
 * @param newer - The segments that the value shares with its base, in order and without overlap in either.
 * @param older - The segments that the base shares with its own base, likewise.
 */
export function composeSegments(newer: readonly Segment[], older: readonly Segment[]): Segment[] {
  const composed: Segment[] = [];
  let next = 0;
  for (const { at, from, length } of newer) {
    const end = from + length;
    while (next < older.length && endOf(older, next) <= from) next++;
    for (const part of older.slice(next)) {
      if (part.at >= end) break;
      const start = Math.max(part.at, from);
      append(composed, {
        at: at + start - from,
        from: part.from + start - part.at,
        length: Math.min(part.at + part.length, end) - start,
      });
    }
  }
  return composed.filter(({ length }) => length >= MIN_SEGMENT_BYTES);
}

function endOf(segments: readonly Segment[], index: number): number {
  const { at = 0, length = 0 } = segments[index] ?? {};
  return at + length;
}

/** Adds a segment, or lengthens the last one where the new one continues it. */
export function append(segments: Segment[], segment: Segment): void {
  const last = segments.at(-1);
  const continues =
    last?.at !== undefined &&
    last.at + last.length === segment.at &&
    last.from + last.length === segment.from;
  if (continues) segments[segments.length - 1] = { ...last, length: last.length + segment.length };
  else segments.push(segment);
}
