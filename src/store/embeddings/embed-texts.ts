import { InvalidEmbeddingError } from "../../errors/store-errors.js";
import { orAborted, throwIfAborted } from "../../db/statements/cancellation.js";
import type { VectorSettings } from "./vector-settings.js";

/** Vectors by their texts. */
export type VectorsByText = ReadonlyMap<string, readonly number[]>;

/**
 * Embeds texts, each distinct one once, in portions.
 *
 * @throws InvalidEmbeddingError where the model returns anything but a vector of the right length for each text.
 */
export async function embedTexts(
  { embeddings, batchSize, dims }: VectorSettings,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<VectorsByText> {
  const distinct = [...new Set(texts)];
  const embedded = new Map<string, readonly number[]>();
  for (let from = 0; from < distinct.length; from += batchSize) {
    throwIfAborted(signal);
    const portion = distinct.slice(from, from + batchSize);
    // A copy, which the model may keep or change.
    const vectors: unknown = await orAborted(embeddings.embedDocuments([...portion]), signal);
    if (!Array.isArray(vectors) || vectors.length !== portion.length) {
      const received = Array.isArray(vectors) ? `${vectors.length} vectors` : typeof vectors;
      throw new InvalidEmbeddingError(`the embedding model returned ${received} for ${portion.length} texts`);
    }
    for (const [nth, text] of portion.entries()) embedded.set(text, checkedVector(vectors[nth], dims));
  }
  return embedded;
}

/**
 * Embeds the query of a search.
 *
 * @throws InvalidEmbeddingError as {@link embedTexts}.
 */
export async function embedQuery(
  { embeddings, dims }: VectorSettings,
  query: string,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  throwIfAborted(signal);
  return checkedVector(await orAborted(embeddings.embedQuery(query), signal), dims);
}

/** A vector as pgvector reads it. */
export function vectorText(vector: readonly number[]): string {
  return `[${vector.join()}]`;
}

/** Whether a vector has no direction, so that it has no cosine. */
export function isZero(vector: readonly number[]): boolean {
  return vector.every((number) => number === 0);
}

function checkedVector(vector: unknown, dims: number): readonly number[] {
  // Some models return a typed array.
  const numbers = isNumberArray(vector) ? Array.from(vector) : [Number.NaN];
  if (!numbers.every(isFiniteNumber)) {
    throw new InvalidEmbeddingError(
      "the embedding model returned something else than a vector of finite numbers",
    );
  }
  if (numbers.length === dims) return numbers;
  throw new InvalidEmbeddingError(
    `the embedding model returned a vector of ${numbers.length} dimensions, but the store has dims ${dims}`,
  );
}

function isNumberArray(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
