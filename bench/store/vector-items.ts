import type { Size } from "../scenarios/scenario.js";
import { type Item, kind } from "./items.js";

export const DIMS = 384;
const CLUSTERS = 200;
/** How far a vector lies from the middle of its cluster, in each dimension. */
const NOISE = 0.6;

/** The option `index` of both stores. */
export const INDEX = {
  dims: DIMS,
  fields: ["text"],
  embed: (texts: string[]): Promise<number[][]> => Promise.resolve(texts.map(vectorOf)),
};

/** Items whose vectors lie in clusters, as those of texts about the same subjects do. */
export class VectorItems {
  readonly items: readonly Item[];
  readonly #vectors: readonly (readonly number[])[];

  constructor({ quick }: Size) {
    this.items = Array.from({ length: quick ? 20 : 10_000 }, (_, n) => itemOf(n));
    this.#vectors = this.items.map(({ value }) => vectorOf(String(value.text)));
  }

  /** The keys of the items that are most similar to a text, by a comparison with each. */
  nearest(query: string, limit: number, wanted: (item: Item) => boolean): string[] {
    const vector = vectorOf(query);
    const compared = this.items.flatMap((item, n) =>
      wanted(item) ? [{ key: item.key, similarity: cosine(vector, this.#vectors[n] ?? []) }] : [],
    );
    return compared
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, limit)
      .map(({ key }) => key);
  }
}

/** A text whose vector lies near those of some items. */
export function queryOf(n: number): string {
  return `query ${n * 31}`;
}

function itemOf(n: number): Item {
  const user = n % 100;
  const value = { kind: kind(Math.floor(n / CLUSTERS)), text: `text ${n}` };
  return { namespace: ["tenants", `t${user % 10}`, `u${user}`], key: `item-${n}`, value };
}

/** The same vector for the same text: its number decides about the cluster, the whole text about the place in it. */
function vectorOf(text: string): number[] {
  const number = Number(text.split(" ").at(-1) ?? 0);
  const middle = randomVector(number % CLUSTERS);
  const seed = Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  return randomVector(seed + CLUSTERS).map((noise, at) => (middle[at] ?? 0) + NOISE * noise);
}

function randomVector(seed: number): number[] {
  let state = (seed + 1) * 7_919;
  return Array.from({ length: DIMS }, () => {
    // The constants of Numerical Recipes.
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 31 - 1;
  });
}

function cosine(one: readonly number[], other: readonly number[]): number {
  let [dot, a, b] = [0, 0, 0];
  for (let at = 0; at < DIMS; at++) {
    const [x, y] = [one[at] ?? 0, other[at] ?? 0];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  return dot / Math.sqrt(a * b);
}
