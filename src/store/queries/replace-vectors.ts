import { sql, type SqlBool } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { deleteUnkept } from "./drop-vectors.js";
import { refuse } from "./embedding-state.js";
import { type ItemKey, manyKeys } from "./item-keys.js";
import { givenVectors, insertVectors, STORED, storedForGiven, type VectorParams, vectorParams, type VectorRow } from "./write-vectors.js";

/** Stands for the vector of the same text that the item has under the same name. */
export const IN_PLACE = "in place";

/**
 * Replaces all vectors of items, which the transaction has locked by a statement before. It fails where the vectors that it relies on are
 * no longer stored: those that are {@link IN_PLACE} or {@link STORED}.
 *
 * @param rows - All vectors that the items should have.
 */
export function replaceVectors(
  schema: string,
  type: "vector" | "halfvec",
  items: readonly ItemKey[],
  rows: readonly VectorRow[],
): BoundStatement<ItemKey> {
  const { prefixes: itemPrefixes, keys: itemKeys } = manyKeys(items);
  return statements.of(type).bind(schema, { ...vectorParams(rows), itemPrefixes, itemKeys });
}

interface Params extends VectorParams {
  readonly itemPrefixes: readonly string[];
  readonly itemKeys: readonly string[];
}

/** The parameters by which the rows to delete are found. */
const KEPT = {
  prefixes: "itemPrefixes",
  keys: "itemKeys",
  keptPrefixes: "prefixes",
  keptKeys: "keys",
  keptNames: "names",
} as const;

const statements = /* @__PURE__ */ new StatementFamily<"vector" | "halfvec", Params, ItemKey>(
  (type) => (db, parameter) =>
    db
      .with(
        (cte) => cte("relied").materialized(),
        (qb) => {
          const stored = storedForGiven(qb)
            .where(sql<SqlBool>`(given.vector = ${sql.lit(STORED)} or stored.field_name = given.field_name)`)
            .select("stored.key");
          const missing = qb
            .selectFrom(givenVectors(parameter))
            .where(sql<SqlBool>`given.vector in (${sql.lit(IN_PLACE)}, ${sql.lit(STORED)})`)
            .where(sql<SqlBool>`not exists (${stored})`)
            .select("given.key");
          const areStored = refuse(
            sql`not exists (${missing})`,
            "another call has replaced vectors of the same item",
          );
          return qb.selectNoFrom(areStored.as("are_stored"));
        },
      )
      .with("dropped", (qb) => deleteUnkept(qb, (name) => parameter(KEPT[name])))
      .with("written", (qb) =>
        insertVectors(
          qb,
          parameter,
          type,
          sql<SqlBool>`(select are_stored from relied) and given.vector is distinct from ${sql.lit(IN_PLACE)}`,
        ),
      )
      .selectFrom("written")
      .select(["written.prefix", "written.key"]),
);
