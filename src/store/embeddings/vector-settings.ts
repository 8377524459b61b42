import type { VectorDistance, VectorIndex, VectorLayout } from "../../migrations/vector-layout.js";
import type { EmbeddingsLike } from "./embedder.js";
import type { EmbeddingModel } from "./text-hash.js";

/** The column of the embeddings and its index, with nothing left to defaults. */
export interface CompleteLayout extends VectorLayout {
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
