import type { QueryCreator } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";

/** The columns that `reembed()` adds for the time that it runs. */
interface NextColumns {
  readonly next_embedding: string | null;
  readonly next_hash: Uint8Array | null;
  /** The version of the item whose text it is. */
  readonly next_version: string | null;
}

type Vectors = LibraryDatabase["store_vectors"] & NextColumns;

/** The tables while `reembed()` runs. */
export type NextDatabase = Omit<LibraryDatabase, "store_vectors"> & { readonly store_vectors: Vectors };

/** Queries the tables as they are while `reembed()` runs. */
export function withNextColumns(db: QueryCreator<LibraryDatabase>): QueryCreator<NextDatabase> {
  return db;
}
