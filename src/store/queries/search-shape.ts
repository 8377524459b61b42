import type { Parameter } from "../../db/statements/statement.js";
import type { FilterParams, FilterShape } from "../filters/matches-filter.js";
import type { ScopeParams } from "./scope.js";

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

/** The parameters of the statements. */
export interface SearchParams extends ScopeParams {
  readonly limit: number;
  readonly offset: number;
  readonly query: string;
}

/** Returns a parameter of a search. */
export type SearchParameter = Parameter<SearchParams & FilterParams>;

/** What decides about the text of a statement. */
export interface SearchShape {
  readonly isEverything: boolean;
  readonly filter: FilterShape;
  readonly refreshes: boolean;
  readonly text: Omit<TextQuery, "query"> | undefined;
}
