import type { GuardStep } from "../../db/statements/transaction-steps.js";
import { checkEmbeddings, stateStep } from "./embedding-check.js";
import { embedQuery, isZero, vectorText, type VectorSettings } from "./embed-texts.js";
import type { SearchOperation, StoreOperation } from "../operations.js";
import { type EmbeddingStateRow } from "../queries/embedding-state.js";
import type { ItemSearch } from "../queries/search-items.js";
import type { StoreCall } from "../store-call.js";

/** The searches of a batch, with the vectors of their queries. */
export interface EmbeddedSearches {
  /** Goes before the searches by embeddings, where there are any. */
  readonly state: GuardStep<EmbeddingStateRow> | undefined;
  /** What to search for an operation. */
  readonly of: (operation: SearchOperation) => ItemSearch;
}

/** A search compares with each of up to this many vectors, which is exact. With more vectors, the index is faster. */
const EXACT_UP_TO = 5_000;
/** The least number of candidates that an index considers, so that it finds nearly all of the best ten. */
const MIN_EFFORT = { hnsw: 100, ivfflat: 20, flat: 0 } as const;
/** The most that pgvector allows for hnsw. */
const MAX_EFFORT = 1_000;
const CANDIDATES_PER_ITEM = 2;

/**
 * Embeds the queries of searches, each distinct one once. It holds no connection meanwhile.
 *
 * @throws EmbeddingMismatchError where the tables have other embeddings than those of the store.
 * @throws InvalidEmbeddingError for a vector that can't be compared with them.
 */
export async function embedSearches(
  call: StoreCall,
  operations: readonly StoreOperation[],
): Promise<EmbeddedSearches> {
  const { vectors } = call.settings;
  const searches = operations.filter(isByVector);
  if (vectors === undefined || searches.length === 0) {
    return { state: undefined, of: (operation) => ({ ...operation, vector: undefined }) };
  }
  await checkEmbeddings(call, vectors);
  const byQuery = new Map<string, readonly number[]>();
  for (const { vector } of searches) {
    const query = vector?.query ?? "";
    if (!byQuery.has(query)) byQuery.set(query, await embedQuery(vectors, query, call.signal));
  }
  const search = {
    kind: vectors.layout.index.kind,
    effort: effortOf(vectors, searches),
    isPlain: operations.every(onlyCompares),
  };
  return {
    state: stateStep(call, vectors, search),
    of: (operation) => toItemSearch(vectors, operation, byQuery.get(operation.vector?.query ?? "")),
  };
}

function toItemSearch(
  { layout }: VectorSettings,
  operation: SearchOperation,
  embedded: readonly number[] | undefined,
): ItemSearch {
  const { vector } = operation;
  if (vector === undefined || embedded === undefined) return { ...operation, vector: undefined };
  const { type, distance, index } = layout;
  if (distance === "cosine" && isZero(embedded)) {
    // A vector of zeros has no cosine, so no item gets a score.
    const limit = operation.text !== undefined || vector.unscored ? operation.limit : 0;
    return { ...operation, limit, vector: undefined };
  }
  const { unscored, weight } = vector;
  return {
    ...operation,
    vector: {
      ...{ type, distance, unscored, weight },
      ...{ hasIndex: index.kind !== "flat", exactUpTo: EXACT_UP_TO, vector: vectorText(embedded) },
    },
  };
}

/** How the index is searched for the best items of all searches. */
function effortOf({ effort, layout }: VectorSettings, searches: readonly SearchOperation[]): number {
  const { kind } = layout.index;
  const needed = Math.max(...searches.map(({ limit, offset }) => CANDIDATES_PER_ITEM * (limit + offset)));
  const least = effort ?? MIN_EFFORT[kind];
  return kind === "hnsw" ? Math.min(Math.max(least, needed), MAX_EFFORT) : least;
}

function isByVector(operation: StoreOperation): operation is SearchOperation {
  return operation.kind === "search" && operation.vector !== undefined;
}

/** Whether an operation only compares vectors. */
function onlyCompares(operation: StoreOperation): boolean {
  return isByVector(operation) && operation.text === undefined;
}
