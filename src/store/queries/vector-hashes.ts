import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { type ItemKey, type ManyKeys, manyKeys, wantedKeys } from "./item-keys.js";

/** A vector of an item, with the hash of its text. */
export interface VectorHashRow extends ItemKey {
  readonly field_name: string;
  /** In hexadecimal digits. `null` where it is not known. */
  readonly hash: string | null;
}

/** Reads which texts the vectors of some items are of. */
export function vectorHashes(schema: string, keys: readonly ItemKey[]): BoundStatement<VectorHashRow> {
  return statement.bind(schema, manyKeys(keys));
}

/**
 * Whether the hash of a row belongs to its vector. Python's store replaces a vector without its hash, but sets the time of the update,
 * which is otherwise that of the creation.
 */
export function isHashValid(alias: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<SqlBool>`${column("created_at")} = ${column("updated_at")}`;
}

const statement = /* @__PURE__ */ new Statement<ManyKeys, VectorHashRow>((db, parameter) =>
  db
    .selectFrom(wantedKeys(parameter))
    .innerJoin("store_vectors", (join) =>
      join.onRef("store_vectors.prefix", "=", "wanted.prefix").onRef("store_vectors.key", "=", "wanted.key"),
    )
    .select(["store_vectors.prefix", "store_vectors.key", "store_vectors.field_name"])
    .select(
      sql<
        string | null
      >`case when ${isHashValid("store_vectors")} then encode(store_vectors.text_hash, 'hex') end`.as("hash"),
    ),
);
