import { type QueryCreator } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { nearestItems, scoreOf } from "./nearest-items.js";
import { neededItems, scoredPage } from "./scored-page.js";
import type { SearchParameter, SearchShape, VectorShape } from "./search-shape.js";

/** A page of the items with the most similar vectors; then of the items without a vector, if they count too. */
export function vectorMatches(
  db: QueryCreator<LibraryDatabase>,
  parameter: SearchParameter,
  shape: SearchShape,
  vector: VectorShape,
) {
  const needed = neededItems(parameter);
  const withScores = db.with(
    (cte) => cte("scored").materialized(),
    (qb) =>
      qb
        .selectFrom(nearestItems(qb, { parameter, shape, vector, needed }).as("nearest"))
        .select(["nearest.prefix", "nearest.key", scoreOf(vector).as("score")]),
  );
  return scoredPage(withScores, parameter, shape, vector.unscored);
}
