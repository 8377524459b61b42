import { BrokenChainError } from "../errors/index.js";
import { checkDigest, type Splice } from "./splice-bytes.js";

/** The most splices that are restored at once. Each takes a part of the call stack. */
const MAX_AT_ONCE = 256;

/**
 * Restores a value from the splices that lead to it and the whole value at the end. It copies each byte once, whatever the number
 * of splices, up to {@link MAX_AT_ONCE}. Only the digest of the value itself is checked: the value can't be right where something else was changed.
 *
 * @param splices - The splice of the value, that of its base, and so on. At least one.
 * @param whole - The base of the last splice.
 * @throws BrokenChainError where the result is not the value that was stored.
 */
export function restoreValue(splices: readonly [Splice, ...Splice[]], whole: Uint8Array): Uint8Array {
  let value = whole;
  for (let end = splices.length; end > 0; end -= MAX_AT_ONCE)
    value = restoreFrom(splices.slice(Math.max(end - MAX_AT_ONCE, 0), end), value);
  checkDigest(value, splices[0].digest);
  return value;
}

function restoreFrom(splices: readonly Splice[], whole: Uint8Array): Uint8Array {
  const wholeBytes = splices[0]?.wholeBytes ?? 0;
  const value = Buffer.allocUnsafe(wholeBytes);
  let source: Source = {
    length: whole.length,
    copy: (from, length, at) => {
      value.set(whole.subarray(from, from + length), at);
    },
  };
  for (const splice of splices.toReversed()) source = new SplicedSource(splice, source, value);
  source.copy(0, wholeBytes, 0);
  return value;
}

/** Copies ranges of a value to a position in the result. The ranges come in order and don't overlap. */
interface Source {
  /** The length of the value, in bytes. */
  readonly length: number;
  readonly copy: (from: number, length: number, at: number) => void;
}

/** A value that is described by a splice of another one. */
class SplicedSource implements Source {
  readonly #splice: Splice;
  readonly #base: Source;
  readonly #target: Uint8Array;
  /** The next literal and the segment behind it, and where the literal begins. */
  #index = 0;
  #start = 0;

  constructor(splice: Splice, base: Source, target: Uint8Array) {
    const last = splice.segments.at(-1);
    const needed = last === undefined ? 0 : last.from + last.length;
    if (needed > base.length)
      throw new BrokenChainError(`the splice refers to ${needed} bytes of a base of ${base.length}`);
    this.#splice = splice;
    this.#base = base;
    this.#target = target;
  }

  get length(): number {
    return this.#splice.wholeBytes;
  }

  copy(from: number, length: number, at: number): void {
    const { literals, segments } = this.#splice;
    const end = from + length;
    const shift = at - from;
    for (;;) {
      const literal = literals[this.#index];
      if (literal === undefined) return;
      const literalEnd = this.#start + literal.length;
      const [first, last] = [Math.max(from, this.#start), Math.min(end, literalEnd)];
      if (first < last)
        this.#target.set(literal.subarray(first - this.#start, last - this.#start), first + shift);
      const segment = segments[this.#index];
      if (segment === undefined) return;
      const [begin, stop] = [Math.max(from, segment.at), Math.min(end, segment.at + segment.length)];
      if (begin < stop) this.#base.copy(segment.from + begin - segment.at, stop - begin, begin + shift);
      if (end <= segment.at + segment.length) return;
      this.#index++;
      this.#start = segment.at + segment.length;
    }
  }
}
