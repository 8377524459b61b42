import { type Item, kind } from "./items.js";

const DIMS = 384;
const CLUSTERS = 200;
const USERS = 100;
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
  readonly count: number;
  /** One after the other, because arrays of numbers would take twice the memory. */
  readonly #vectors: Float32Array;

  constructor(count: number) {
    this.count = count;
    this.#vectors = new Float32Array(count * DIMS);
    for (let n = 0; n < count; n++) this.#vectors.set(vectorOf(textOf(n)), n * DIMS);
  }

  /** The items from one number up to another. */
  slice(from: number, to: number): Item[] {
    const end = Math.min(to, this.count);
    return Array.from({ length: end - from }, (_, nth) => vectorItem(from + nth));
  }

  /** The keys of the items that are most similar to a text, by a comparison with each. */
  nearest(query: string, limit: number, isWanted: (item: Item) => boolean): string[] {
    const vector = vectorOf(query);
    const compared = [];
    for (let n = 0; n < this.count; n++) {
      const item = vectorItem(n);
      if (isWanted(item)) compared.push({ key: item.key, similarity: this.#cosine(vector, n) });
    }
    return compared
      .sort((one, other) => other.similarity - one.similarity)
      .slice(0, limit)
      .map(({ key }) => key);
  }

  #cosine(one: readonly number[], n: number): number {
    let [dot, a, b] = [0, 0, 0];
    for (let at = 0; at < DIMS; at++) {
      const [x, y] = [one[at] ?? 0, this.#vectors[n * DIMS + at] ?? 0];
      dot += x * y;
      a += x * x;
      b += y * y;
    }
    return dot / Math.sqrt(a * b);
  }
}

/** A text whose vector lies near those of some items. */
export function queryOf(n: number): string {
  return `query ${n * 31}`;
}

/** The namespace of one of the users, who each have a hundredth of the items, of all clusters. */
export function userOf(n: number): string[] {
  const user = n % USERS;
  return ["tenants", `t${user % 10}`, `u${user}`];
}

/** An item. Its number decides about its cluster and its kind, and about its user as if by chance. */
export function vectorItem(n: number): Item {
  const value = { kind: kind(Math.floor(n / CLUSTERS)), text: textOf(n) };
  return { namespace: userOf(Math.imul(n, 2_654_435_761) >>> 12), key: `item-${n}`, value };
}

function textOf(n: number): string {
  return `text ${n}`;
}

/** The same vector for the same text: its number decides about the cluster, the whole text about the place in it. */
export function vectorOf(text: string): number[] {
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
