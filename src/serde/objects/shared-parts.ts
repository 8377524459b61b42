/** Repeated parts of a value may always take this many bytes. */
const MIN_REPEATED_BYTES = 2 ** 24;

/** Beyond {@link MIN_REPEATED_BYTES}, repeated parts may take this many times the bytes of all parts counted once. */
const MAX_REPETITIONS = 16;

/** The encoders check the count after each object, and after each string that is longer than this. */
export const LONG_TEXT = 2 ** 16;

/** Below this size nothing is remembered or refused, so that most values cost nothing extra. */
const LARGE_BYTES = 2 ** 17;

/** A smaller part is not remembered. It is encoded again where it occurs again. */
const MIN_REMEMBERED_BYTES = 64;

/** The surroundings that the encoding of a part depends on. */
interface Surroundings {
  /** The number of levels around the part. */
  readonly depth: number;
  /** Whether the part is written into the kwargs of a LangChain record. */
  readonly inKwargs: boolean;
  /** Whether the part is inside a message. */
  readonly isInMessage: boolean;
}

interface KnownPart<Encoded> extends Surroundings {
  readonly encoded: Encoded;
  readonly bytes: number;
}

/**
 * Counts the minimum size of one encoded value: a byte for each part, and the length of each string. Neither format has
 * references, so an object is written wherever it occurs, and a graph of few objects may exceed all memory. The encoders
 * remember the parts that they have encoded, so that they refuse such a graph before they write it out.
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

  /** The bytes counted so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the value is large enough to use {@link repeat}, {@link remember} and {@link problem}. */
  get areLarge(): boolean {
    return this.#bytes >= LARGE_BYTES;
  }

  /** Adds the size of one part, without the parts inside it. */
  count(bytes: number): void {
    this.#bytes += bytes;
  }

  /**
   * The encoding of a large part that occurred before in the same surroundings. A part that now lies deeper is encoded again,
   * since its own parts may lie too deep.
   */
  repeat(part: object, { depth, inKwargs, isInMessage }: Surroundings): Encoded | undefined {
    const known = this.#known.get(part);
    if (known === undefined || depth > known.depth) return undefined;
    if (inKwargs !== known.inKwargs || isInMessage !== known.isInMessage) return undefined;
    this.#repeatedBytes += known.bytes;
    this.#bytes += known.bytes;
    return known.encoded;
  }

  /** Remembers the encoding of a part. `bytesBefore` is the count from before the part. */
  remember(
    part: object,
    { depth, inKwargs, isInMessage }: Surroundings,
    bytesBefore: number,
    encoded: Encoded,
  ): void {
    const bytes = this.#bytes - bytesBefore;
    if (bytes >= MIN_REMEMBERED_BYTES)
      this.#known.set(part, { encoded, bytes, depth, inKwargs, isInMessage });
  }

  /** The reason why the value can't be written, or `undefined` so far. */
  get problem(): string | undefined {
    if (this.#bytes > this.#maxBytes) return `the value takes more than ${this.#maxBytes} bytes`;
    if (this.#repeatedBytes <= MIN_REPEATED_BYTES) return undefined;
    const firstBytes = this.#bytes - this.#repeatedBytes;
    if (this.#repeatedBytes <= MAX_REPETITIONS * firstBytes) return undefined;
    return `the value refers to the same objects so often that writing it takes more than ${this.#bytes} bytes`;
  }
}
