import { InvalidEmbeddingError } from "../../errors/store-errors.js";
import { orAborted, throwIfAborted } from "../../db/statements/cancellation.js";
import type { VectorDistance, VectorIndex, VectorLayout } from "../../migrations/vector-layout.js";
import { createHash } from "node:crypto";

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

/** An embedding model: any `Embeddings` of LangChain. */
export interface EmbeddingsLike {
  /** Returns a vector for each text. */
  embedDocuments(texts: string[]): Promise<number[][]>;
  /** Returns the vector of a query. */
  embedQuery(text: string): Promise<number[]>;
}

/** A function that returns a vector for each text. It embeds queries too. */
export type EmbeddingsFunction = (texts: string[]) => number[][] | Promise<number[][]>;

/** Whether a value can embed texts. */
export function isEmbeddings(value: unknown): value is EmbeddingsLike | EmbeddingsFunction {
  if (typeof value === "function") return true;
  if (typeof value !== "object" || value === null) return false;
  return ["embedDocuments", "embedQuery"].every((name) => typeof Reflect.get(value, name) === "function");
}

/** An embedding model of either kind. */
export function toEmbeddings(given: EmbeddingsLike | EmbeddingsFunction): EmbeddingsLike {
  if (typeof given !== "function") return given;
  return {
    embedDocuments: async (texts) => given(texts),
    embedQuery: async (text) => (await given([text]))[0] ?? [],
  };
}

/** The name that a model of LangChain has. `undefined` for others: the name of a class or function may change with each build. */
export function modelNameOf(given: EmbeddingsLike | EmbeddingsFunction): string | undefined {
  const names = ["model", "modelName"].map((property): unknown => Reflect.get(given, property));
  return names.find((name): name is string => typeof name === "string" && name !== "");
}

/** The column of the embeddings and its index, with nothing left to defaults. */
interface CompleteLayout extends VectorLayout {
  readonly type: "vector" | "halfvec";
  readonly distance: VectorDistance;
  readonly index: VectorIndex;
}

/** How a store embeds and compares texts. */
export interface VectorSettings extends EmbeddingModel {
  readonly embeddings: EmbeddingsLike;
  /** The paths of the texts, where neither a put nor a rule names others. */
  readonly fields: readonly string[];
  /** How many texts the model gets at once. */
  readonly batchSize: number;
  readonly layout: CompleteLayout;
  /** How many candidates an index of embeddings considers at least: `hnsw.ef_search`, or `ivfflat.probes`. */
  readonly effort: number | undefined;
}

/** What makes the vector of a text, beside the text. */
interface EmbeddingModel {
  /** The name of the model. */
  readonly model: string;
  readonly dims: number;
}

/** Identifies the vector of a text in hexadecimal digits: an equal hash means an equal text, model and number of dimensions. */
export function textHash({ model, dims }: EmbeddingModel, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([model, dims, text]))
    .digest("hex");
}
