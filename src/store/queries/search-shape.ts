import type { Parameter } from "../../db/statements/statement.js";
import type { FilterParams, FilterShape } from "./matches-filter.js";
import type { ScopeParams } from "./item-scope.js";

/** A search by text. */
export interface TextQuery {
  readonly query: string;
  /** The text search configuration. */
  readonly language: string;
  /** Whether an item must have every word of the query. Otherwise the more words it has, the earlier it comes. */
  readonly everyWord: boolean;
  /** Whether the other items of the scope follow those that match. */
  readonly unscored: boolean;
}

/** A search by embeddings. */
export interface VectorSearch extends Omit<VectorShape, "most"> {
  /** The vector of the query, as text. */
  readonly vector: string;
  /** The part of the embeddings in the score, where the search is one by text as well. */
  readonly weight: number;
}

/** What decides about the text of a statement that searches embeddings. */
export interface VectorShape {
  readonly type: "vector" | "halfvec";
  readonly distance: "cosine" | "l2" | "inner_product";
  /** Whether the other items of the scope follow those that have a score. */
  readonly unscored: boolean;
  /** Whether there is an index of the embeddings. Without one, the search compares with each vector of its scope. */
  readonly hasIndex: boolean;
  /** A search compares with each of up to this many vectors, which is exact. With more vectors, the index is faster. */
  readonly exactUpTo: number;
  /** How many of the best vectors are compared first, of which an item may have several. */
  readonly most: number;
}

export type TextShape = Omit<TextQuery, "query">;

/** The parameters of the statements. */
export interface SearchParams extends ScopeParams {
  readonly limit: number;
  readonly offset: number;
  readonly query: string;
  readonly vector: string;
  readonly weight: number;
  /** Always false; see `plannedForValues`. */
  readonly never: boolean;
}

/** Returns a parameter of a search. */
export type SearchParameter = Parameter<SearchParams & FilterParams>;

/** What decides about the text of a statement. */
export interface SearchShape {
  readonly isEverything: boolean;
  readonly filter: FilterShape;
  /** Whether the page begins behind so many items that only their keys are read; see `newestItems`. */
  readonly isFar: boolean;
  readonly refreshes: boolean;
  readonly text: TextShape | undefined;
  readonly vector: VectorShape | undefined;
}
