/** The column of the embeddings and its index. */
export interface VectorLayout {
  /** The number of dimensions of an embedding. */
  readonly dims: number;
  /** `halfvec` takes half the space, and can index up to 4,000 dimensions instead of 2,000. Default `vector`. */
  readonly type?: "vector" | "halfvec" | undefined;
  /** How vectors are compared. Default `cosine`. */
  readonly distance?: VectorDistance | undefined;
  /** The index. Default: `hnsw` with pgvector's defaults. */
  readonly index?: VectorIndex | undefined;
}

/** How two vectors are compared. The vectors of a table have one distance, by which its index is built. */
export type VectorDistance = "cosine" | "l2" | "inner_product";

/** The ways to compare two vectors. */
export const VECTOR_DISTANCES = [
  "cosine",
  "l2",
  "inner_product",
] as const satisfies readonly VectorDistance[];

/** The index of the embeddings. `flat` creates no index: a search compares with each embedding of its scope. */
export type VectorIndex =
  | { readonly kind: "hnsw"; readonly m?: number | undefined; readonly efConstruction?: number | undefined }
  | { readonly kind: "ivfflat"; readonly lists?: number | undefined }
  | { readonly kind: "flat" };
