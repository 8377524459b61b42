import type { VectorDistance } from "../migrations/vector-layout.js";
import type { EmbeddingsFunction, EmbeddingsLike } from "./embeddings/embedder.js";

/**
 * How a store embeds the texts of its items, so that `search` finds items by meaning. It needs pgvector 0.8 or newer. All stores on
 * the same tables need the same `dims`, `model`, `vectorType` and `distanceMetric`: another one is refused, until `reembed()` has
 * embedded all items again.
 *
 * @example
 * ```ts
 * const store = new PostgresStore(pool, {
 *   index: { dims: 1536, embeddings: new OpenAIEmbeddings({ model: "text-embedding-3-small" }), fields: ["text"] },
 * });
 * ```
 */
export interface StoreIndexOptions {
  /** The number of dimensions of a vector. */
  readonly dims: number;
  /** The model: any `Embeddings` of LangChain, or a function that returns a vector for each text. */
  readonly embed?: EmbeddingsLike | EmbeddingsFunction | undefined;
  /** The same as `embed`, as InMemoryStore calls it. */
  readonly embeddings?: EmbeddingsLike | EmbeddingsFunction | undefined;
  /** The name of the model, which is stored. Default: the property `model` or `modelName` of the model, else `default`. */
  readonly model?: string | undefined;
  /**
   * The paths of the texts of a value: `title`, `meta.a`, `list[0]`, `list[-1]`, `chapters[*].text`, `meta.*`, `{title,meta.a}`, or `$`
   * for the whole value as JSON. Each text gets a vector, and the best one of an item counts. Default `["$"]`.
   */
  readonly fields?: readonly string[] | undefined;
  /** How vectors are compared. Default `cosine`. */
  readonly distanceMetric?: VectorDistance | undefined;
  /** The type of the column. `halfvec` takes half the space. Default `vector`; `halfvec` for an index of more than 2,000 dimensions. */
  readonly vectorType?: "vector" | "halfvec" | undefined;
  /** The index of the vectors. `flat` creates no index: a search compares with each vector of its scope. Default `hnsw`. */
  readonly indexType?: "hnsw" | "ivfflat" | "flat" | undefined;
  /** `m` and `efConstruction` of the index, by default those of pgvector. `ef`: how many candidates a search considers at least. */
  readonly hnsw?:
    | {
        readonly m?: number | undefined;
        readonly efConstruction?: number | undefined;
        readonly ef?: number | undefined;
      }
    | undefined;
  /** `lists` of the index, by default that of pgvector. `probes`: how many lists a search reads at least. */
  readonly ivfflat?:
    | { readonly lists?: number | undefined; readonly probes?: number | undefined }
    | undefined;
  /** Ignored, since a store compares vectors in one way. The official store has it. */
  readonly createAllMetricIndexes?: boolean | undefined;
  /** How many texts the model gets at once. Default 256. */
  readonly batchSize?: number | undefined;
}
