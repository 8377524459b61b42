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
const MIN_SEGMENT_BYTES = 16;

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

/** The bytes that are searched for where a value and its base differ. */
const PROBE_BYTES = 32;
/** Bytes before the first probe: the header of a list grows when the list does. */
const HEADER_BYTES = 8;
/** The parts of a value at which probes begin, after the one behind the header. */
const PROBED_PARTS = [1 / 4, 1 / 2, 3 / 4] as const;
/** The places of a probe in the base that are tried. Many messages may begin alike. */
const MAX_PLACES = 4;
/** The searches in one value. A search reads the base once at most, so a value that differs everywhere costs little. */
const MAX_SEARCHES = 24;

/**
 * Finds long parts that a value shares with an earlier one, by comparing bytes. Parts are in the same order in both and don't
 * overlap. It finds what an edit keeps: before and after an appended, removed or changed part, and between several changed ones.
 * It does not look for the best result, because every `put` waits for it.
 */
export function findSegments(base: Uint8Array, value: Uint8Array): Segment[] {
  const search = new Search(asBuffer(base), asBuffer(value));
  search.compare({ baseStart: 0, baseEnd: base.length, start: 0, end: value.length });
  return search.segments;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A range of the value and the range of the base that it is compared with. Ends are exclusive. */
interface Ranges {
  readonly baseStart: number;
  readonly baseEnd: number;
  readonly start: number;
  readonly end: number;
}

class Search {
  readonly segments: Segment[] = [];
  readonly #base: Buffer;
  readonly #value: Buffer;
  #searches = 0;

  constructor(base: Buffer, value: Buffer) {
    this.#base = base;
    this.#value = value;
  }

  compare(ranges: Ranges): void {
    const prefix = this.#equalForward(ranges.baseStart, ranges.start, shorterOf(ranges));
    this.#add({ at: ranges.start, from: ranges.baseStart, length: prefix });
    const rest = { ...ranges, baseStart: ranges.baseStart + prefix, start: ranges.start + prefix };
    const suffix = this.#equalBackward(rest.baseEnd, rest.end, shorterOf(rest));
    const middle = { ...rest, baseEnd: rest.baseEnd - suffix, end: rest.end - suffix };
    this.#compareMiddle(middle);
    this.#add({ at: middle.end, from: middle.baseEnd, length: suffix });
  }

  /** Compares ranges that begin and end differently: around the longest common part that a probe finds. */
  #compareMiddle(ranges: Ranges): void {
    if (shorterOf(ranges) < PROBE_BYTES) return;
    const found = this.#longestPart(ranges);
    if (found === undefined) return;
    this.#compareMiddle({ ...ranges, baseEnd: found.from, end: found.at });
    this.#add(found);
    this.#compareMiddle({
      ...ranges,
      baseStart: found.from + found.length,
      start: found.at + found.length,
    });
  }

  #longestPart(ranges: Ranges): Segment | undefined {
    const { start, end } = ranges;
    const length = end - start;
    let longest: Segment | undefined;
    for (const position of [HEADER_BYTES, ...PROBED_PARTS.map((part) => Math.floor(length * part))]) {
      const found = this.#partAround(start + position, ranges);
      if (found !== undefined && found.length > (longest?.length ?? 0)) longest = found;
      if (longest !== undefined && longest.length * 2 > length) break;
    }
    return longest !== undefined && longest.length >= MIN_SEGMENT_BYTES ? longest : undefined;
  }

  /** The longest common part that contains the bytes of the value at a position. */
  #partAround(position: number, ranges: Ranges): Segment | undefined {
    const { baseStart, baseEnd, start, end } = ranges;
    if (position + PROBE_BYTES > end) return undefined;
    const probe = this.#value.subarray(position, position + PROBE_BYTES);
    let longest: Segment | undefined;
    let from = baseStart;
    for (let place = 0; place < MAX_PLACES && this.#searches < MAX_SEARCHES; place++) {
      this.#searches++;
      const found = this.#base.subarray(from, baseEnd).indexOf(probe);
      if (found === -1) break;
      const inBase = from + found;
      const before = this.#equalBackward(inBase, position, Math.min(inBase - baseStart, position - start));
      const after = this.#equalForward(inBase, position, Math.min(baseEnd - inBase, end - position));
      if (before + after > (longest?.length ?? 0)) {
        longest = { at: position - before, from: inBase - before, length: before + after };
      }
      from = inBase + after;
    }
    return longest;
  }

  #add(segment: Segment): void {
    if (segment.length >= MIN_SEGMENT_BYTES) append(this.segments, segment);
  }

  /** How many bytes are equal, at most `limit`, from a position in each on. */
  #equalForward(inBase: number, inValue: number, limit: number): number {
    return equalBytes(limit, (offset, length) => this.#areEqual(inBase + offset, inValue + offset, length));
  }

  /** How many bytes are equal, at most `limit`, before a position in each. */
  #equalBackward(inBase: number, inValue: number, limit: number): number {
    return equalBytes(limit, (offset, length) =>
      this.#areEqual(inBase - offset - length, inValue - offset - length, length),
    );
  }

  #areEqual(inBase: number, inValue: number, length: number): boolean {
    return this.#base.compare(this.#value, inValue, inValue + length, inBase, inBase + length) === 0;
  }
}

/** The length of the longest equal start: compares blocks that double, and halves the first block that differs. */
function equalBytes(limit: number, areEqual: (offset: number, length: number) => boolean): number {
  let equal = 0;
  let block = Math.min(PROBE_BYTES, limit);
  while (block > 0 && areEqual(equal, block)) {
    equal += block;
    block = Math.min(block * 2, limit - equal);
  }
  // The next `block` bytes contain a difference, or there are none.
  while (block > 1) {
    const half = Math.ceil(block / 2);
    if (areEqual(equal, half)) {
      equal += half;
      block -= half;
    } else block = half;
  }
  return equal;
}

function shorterOf({ baseStart, baseEnd, start, end }: Ranges): number {
  return Math.min(baseEnd - baseStart, end - start);
}
