import type { QueryCreator } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, Statement } from "../../db/statements/statement.js";
import { type ItemKey, wantedKeys } from "./item-keys.js";
import { isNotKept, type KeptParams, keptParams, type KeptVector } from "./kept-vectors.js";
import { withNextColumns } from "./next-columns.js";

/** Deletes the vectors of items, except some. */
export function dropVectors(
  schema: string,
  items: readonly ItemKey[],
  kept: readonly KeptVector[],
): BoundStatement<ItemKey> {
  return statement.bind(schema, keptParams(items, kept));
}

const statement = /* @__PURE__ */ new Statement<KeptParams, ItemKey>(deleteUnkept);

/** Deletes the rows of items that are not among those that stay. */
export function deleteUnkept(db: QueryCreator<LibraryDatabase>, parameter: Parameter<KeptParams>) {
  return db
    .deleteFrom("store_vectors")
    .using(wantedKeys(parameter))
    .whereRef("store_vectors.prefix", "=", "wanted.prefix")
    .whereRef("store_vectors.key", "=", "wanted.key")
    .where(isNotKept(parameter))
    .returning(["store_vectors.prefix", "store_vectors.key"]);
}

/** Empties the new columns of items, except those of some vectors. Searches still use the other columns. */
export function dropNextVectors(
  schema: string,
  items: readonly ItemKey[],
  kept: readonly KeptVector[],
): BoundStatement<ItemKey> {
  return nextDrops.bind(schema, keptParams(items, kept));
}

const nextDrops = /* @__PURE__ */ new Statement<KeptParams, ItemKey>((db, parameter) =>
  withNextColumns(db)
    .updateTable("store_vectors")
    .from(wantedKeys(parameter))
    .set({ next_embedding: null, next_hash: null, next_version: null })
    .whereRef("store_vectors.prefix", "=", "wanted.prefix")
    .whereRef("store_vectors.key", "=", "wanted.key")
    .where("store_vectors.next_version", "is not", null)
    .where(isNotKept(parameter))
    .returning(["store_vectors.prefix", "store_vectors.key"]),
);
