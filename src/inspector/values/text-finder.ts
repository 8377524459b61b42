import { isSplitAt } from "./cut-text.js";
import { letOthersRun } from "./let-others-run.js";

/** How to look for a text. */
interface TextFinderOptions {
  /** Whether any white space counts for the spaces of the text. */
  readonly anySpace: boolean;
  /** What the character before must not be; it is tried on the text before, up to its end. */
  readonly notAfter: RegExp | undefined;
}

/** Where a text was found. */
interface FoundRange {
  readonly start: number;
  readonly end: number;
}

/** How many characters are looked at before other work may run. */
const STEP = 16_384;
/** How many characters of the text to find an expression looks for first: few, so that it takes no long time. */
const BEGINNING = 8;
/** More than a beginning takes. */
const OVERLAP = 32;
const CODE_POINTS = 0x11_00_00;
const UNKNOWN = 0;
const OTHER = 1;

/**
 * Finds a text in others, in any case. It finds what a regular expression with the flags `iu` finds, with `\s+` for any white space. Such
 * an expression looks at each character as often as the text to find is long, which takes seconds for a long value, and nothing else runs
 * meanwhile. So an expression finds only the beginning. From there on each character is looked at once (Knuth, Morris and Pratt).
 */
export class TextFinder {
  readonly #options: TextFinderOptions;
  readonly #beginning: RegExp;
  /** The distinct characters of the text to find, and how they are told from others. */
  readonly #alphabet: RegExp;
  /** By code point. Characters that are equal in another case have the same symbol. */
  readonly #symbols = new Uint16Array(CODE_POINTS);
  readonly #space: number | undefined;
  readonly #pattern: readonly number[];
  /** By length of a part that has matched: how much of its end is a beginning of the pattern. */
  readonly #fallbacks: readonly number[];

  constructor(text: string, options: TextFinderOptions) {
    this.#options = options;
    const characters = Array.from(text);
    this.#beginning = beginningOf(characters, options);
    const groups = [...new Set(characters)].map((character) => `(${escaped(character)})`);
    this.#alphabet = new RegExp(
      `^(?:${[...(options.anySpace ? [String.raw`(\s)`] : []), ...groups].join("|")})$`,
      "iu",
    );
    this.#space = options.anySpace ? OTHER + 1 : undefined;
    const symbols = characters.map((character) => this.#symbolOf(character.codePointAt(0) ?? 0));
    this.#pattern = symbols.filter((symbol, at) => !this.#isSameSpace(symbol, symbols[at - 1]));
    this.#fallbacks = fallbacksOf(this.#pattern);
  }

  /** Whether a text is worth a search, at once. */
  mayBeIn(text: string): boolean {
    return text.length > STEP || this.#beginning.test(text);
  }

  /**
   * Returns the first place of the text.
   *
   * @throws AbortError when the signal aborts meanwhile.
   */
  async find(text: string, signal: AbortSignal): Promise<FoundRange | undefined> {
    const search = this.#search(text);
    for (;;) {
      const { done, value } = search.next();
      if (done === true) return value;
      await letOthersRun(signal);
    }
  }

  /** Yields after each step. */
  *#search(text: string): Generator<undefined, FoundRange | undefined> {
    const length = this.#pattern.length;
    /** Where the last symbols begin. */
    const starts = new Uint32Array(length);
    let [matched, symbols, last] = [0, 0, OTHER];
    for (let at = 0, stop = STEP; at < text.length;) {
      if (at >= stop) {
        yield undefined;
        stop = at + STEP;
      }
      if (matched === 0) {
        const found = this.#beginning.exec(text.slice(at, at + STEP + OVERLAP));
        at += found?.index ?? STEP;
        if (found === null) {
          if (isSplitAt(text, at)) at -= 1;
          continue;
        }
        last = OTHER;
      }
      const codePoint = text.codePointAt(at) ?? 0;
      const start = at;
      at += codePoint > 0xff_ff ? 2 : 1;
      const symbol = this.#symbolOf(codePoint);
      if (this.#isSameSpace(symbol, last)) continue;
      last = symbol;
      starts[symbols % length] = start;
      symbols += 1;
      while (matched > 0 && this.#pattern[matched] !== symbol) matched = this.#fallbacks[matched] ?? 0;
      if (this.#pattern[matched] === symbol) matched += 1;
      if (matched < length) continue;
      const first = starts[symbols % length] ?? 0;
      if (this.#mayBeginAt(text, first)) return { start: first, end: at };
      matched = this.#fallbacks[matched] ?? 0;
    }
    return undefined;
  }

  #isSameSpace(symbol: number, before: number | undefined): boolean {
    return symbol === this.#space && symbol === before;
  }

  #mayBeginAt(text: string, start: number): boolean {
    return this.#options.notAfter?.test(text.slice(Math.max(0, start - 2), start)) !== true;
  }

  #symbolOf(codePoint: number): number {
    const known = this.#symbols[codePoint] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const groups: readonly (string | undefined)[] | null = this.#alphabet.exec(
      String.fromCodePoint(codePoint),
    );
    const symbol =
      groups === null ? OTHER : OTHER + groups.findIndex((group, at) => at > 0 && group !== undefined);
    this.#symbols[codePoint] = symbol;
    return symbol;
  }
}

/** The expression that finds the first characters, up to the first white space of any length. */
function beginningOf(characters: readonly string[], { anySpace }: TextFinderOptions): RegExp {
  const first = characters.slice(0, BEGINNING);
  const space = anySpace ? first.findIndex((character) => /\s/.test(character)) : -1;
  const literal = (space === -1 ? first : first.slice(0, space)).map(escaped).join("");
  return new RegExp(space === -1 ? literal : String.raw`${literal}\s`, "iu");
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function fallbacksOf(pattern: readonly number[]): readonly number[] {
  const fallbacks = [0, 0];
  let length = 0;
  for (const symbol of pattern.slice(1)) {
    while (length > 0 && pattern[length] !== symbol) length = fallbacks[length] ?? 0;
    if (pattern[length] === symbol) length += 1;
    fallbacks.push(length);
  }
  return fallbacks;
}
