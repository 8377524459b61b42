/** Writing the parts of a value that occur several times may take this many bytes in any case. */
const MIN_REPEATED_BYTES = 2 ** 24;

/** How many times as much as all parts once their repetitions may take, beyond that. */
const MAX_REPETITIONS = 16;

/** After a text of more characters the count is looked at, else after each object. */
export const LONG_TEXT = 2 ** 16;

/** Below this nothing is remembered or refused, so that most values don't pay for it. */
const LARGE_BYTES = 2 ** 17;

/** A part that takes less is not remembered, but encoded again where it is met again. */
const MIN_REMEMBERED_BYTES = 64;

/** What the encoding of a part depends on beside the part. */
interface Surroundings {
  /** How many levels lie around the part. */
  readonly depth: number;
  /** Whether it is written among the kwargs of a LangChain record. */
  readonly inKwargs: boolean;
}

interface KnownPart<Encoded> extends Surroundings {
  readonly encoded: Encoded;
  readonly bytes: number;
}

/**
 * Counts what writing one value takes, at the least: a byte for each part, and the length of each text. No format here has
 * references, so an object is written wherever it is met, and a graph of few objects may take more than any memory holds.
 * Parts that were encoded before are remembered, so that such a graph is refused before it is written out.
 */
export class SharedParts<Encoded> {
  readonly #maxBytes: number;
  readonly #known = new Map<object, KnownPart<Encoded>>();
  #bytes = 0;
  #repeatedBytes = 0;

  /** @param maxBytes - the most bytes that one value may take */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether there are enough bytes for {@link repeat}, {@link remember} and {@link problem} to be of use. */
  get areLarge(): boolean {
    return this.#bytes >= LARGE_BYTES;
  }

  /** Adds what one part takes without the parts in it. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /**
   * What a part was encoded as, if it is large and was met before in the same surroundings. One that lies deeper now is
   * encoded again, since its own parts may lie too deep.
   */
  repeat(part: object, { depth, inKwargs }: Surroundings): Encoded | undefined {
    const known = this.#known.get(part);
    if (known === undefined || depth > known.depth || inKwargs !== known.inKwargs) return undefined;
    this.#repeatedBytes += known.bytes;
    this.#bytes += known.bytes;
    return known.encoded;
  }

  /** Notes what a part was encoded as, which was begun at `bytesBefore`. */
  remember(part: object, { depth, inKwargs }: Surroundings, bytesBefore: number, encoded: Encoded): void {
    const bytes = this.#bytes - bytesBefore;
    if (bytes >= MIN_REMEMBERED_BYTES) this.#known.set(part, { encoded, bytes, depth, inKwargs });
  }

  /** Why the value can't be written, if that is known by now. */
  get problem(): string | undefined {
    if (this.#bytes > this.#maxBytes) return `the value takes more than ${this.#maxBytes} bytes`;
    if (this.#repeatedBytes <= MIN_REPEATED_BYTES) return undefined;
    const firstBytes = this.#bytes - this.#repeatedBytes;
    if (this.#repeatedBytes <= MAX_REPETITIONS * firstBytes) return undefined;
    return `the value refers to the same objects so often that writing it takes more than ${this.#bytes} bytes`;
  }
}
