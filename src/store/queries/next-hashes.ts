import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { type ItemKey, type ManyKeys, manyKeys, wantedKeys } from "./item-keys.js";
import { isHashValid } from "./vector-hashes.js";

/** A text that an item has a vector of. */
export interface NextHashRow extends ItemKey {
  /** The hash of the text, in hexadecimal digits. */
  readonly hash: string;
}

/** Reads which texts some items have vectors of, in the new columns or in those that searches still use. */
export function nextHashes(schema: string, keys: readonly ItemKey[]): BoundStatement<NextHashRow> {
  return statement.bind(schema, manyKeys(keys));
}

const statement = /* @__PURE__ */ new Statement<ManyKeys, NextHashRow>((db, parameter) =>
  db
    .selectFrom(wantedKeys(parameter))
    .innerJoin("store_vectors as vectors", (join) =>
      join.onRef("vectors.prefix", "=", "wanted.prefix").onRef("vectors.key", "=", "wanted.key"),
    )
    .crossJoinLateral(() =>
      sql<{ readonly hash: Uint8Array }>`(
        values (vectors.next_hash), (case when ${isHashValid("vectors")} and vectors.embedding is not null then vectors.text_hash end)
      )`.as<"known">(sql`known(hash)`),
    )
    .where(sql<boolean>`known.hash is not null`)
    .select(["vectors.prefix", "vectors.key"])
    .select(sql<string>`encode(known.hash, 'hex')`.as("hash")),
);
