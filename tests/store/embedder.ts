import { createHash } from "node:crypto";

/** A model for tests: the numbers of words by their hashes, so that texts with the same words are alike. */
export class WordEmbedder {
  readonly model: string;
  readonly #dims: number;
  /** The texts of each call for items, and the queries. */
  readonly calls: string[][] = [];
  readonly queries: string[] = [];

  constructor(dims: number, model = "words") {
    this.#dims = dims;
    this.model = model;
  }

  /** Every text that was embedded for an item, in order. */
  get texts(): string[] {
    return this.calls.flat();
  }

  embedDocuments(texts: string[]): Promise<number[][]> {
    this.calls.push([...texts]);
    return Promise.resolve(texts.map((text) => this.vectorOf(text)));
  }

  embedQuery(text: string): Promise<number[]> {
    this.queries.push(text);
    return Promise.resolve(this.vectorOf(text));
  }

  /** Forgets the calls. */
  reset(): void {
    this.calls.length = 0;
    this.queries.length = 0;
  }

  vectorOf(text: string): number[] {
    const vector = Array.from({ length: this.#dims }, () => 0);
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
      const at = createHash("md5").update(word).digest().readUInt32LE(0) % this.#dims;
      vector[at] = (vector[at] ?? 0) + 1;
    }
    return vector;
  }
}

/** The score that a store should give to a text. */
export function scoreOf(
  distance: "cosine" | "l2" | "inner_product",
  one: readonly number[],
  other: readonly number[],
): number {
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, n, at) => sum + n * (b[at] ?? 0), 0);
  const dot = product(one, other);
  if (distance === "inner_product") return dot;
  if (distance === "cosine") return dot / Math.sqrt(product(one, one) * product(other, other));
  return -Math.sqrt(product(one, one) + product(other, other) - 2 * dot);
}
