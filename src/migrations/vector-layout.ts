import { type RawBuilder, sql } from "kysely";

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

/** The name of the index of embeddings, as Python's store has it. */
export const VECTOR_INDEX = "store_vectors_embedding_idx";

const OPERATORS = { cosine: "cosine_ops", l2: "l2_ops", inner_product: "ip_ops" } as const;

/** The operator class of pgvector by which an index compares embeddings. */
export function operatorClass(type: "vector" | "halfvec", distance: VectorDistance): string {
  return `${type}_${OPERATORS[distance]}`;
}

/** How an index with this operator class compares embeddings. `undefined` for a class of another kind. */
export function distanceOfOperators(operators: string): VectorDistance | undefined {
  return VECTOR_DISTANCES.find((distance) => operators.endsWith(`_${OPERATORS[distance]}`));
}

/** The part of `create index` after the table, for an index of embeddings. Not for the kind `flat`, which has no index. */
export function vectorIndexOn(
  column: string,
  { type = "vector", distance = "cosine", index = { kind: "hnsw" } }: VectorLayout,
): RawBuilder<unknown> {
  const operators = sql.raw(operatorClass(type, distance));
  return sql`using ${sql.raw(index.kind)} (${sql.id(column)} ${operators}) ${storageOf(index)}`;
}

function storageOf(index: VectorIndex): RawBuilder<unknown> {
  const given = Object.entries(parametersOf(index)).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${sql.id(name)} = ${sql.lit(value)}`],
  );
  return given.length === 0 ? sql`` : sql`with (${sql.join(given)})`;
}

function parametersOf(index: VectorIndex): Readonly<Record<string, number | undefined>> {
  if (index.kind === "hnsw") return { m: index.m, ef_construction: index.efConstruction };
  return index.kind === "ivfflat" ? { lists: index.lists } : {};
}
