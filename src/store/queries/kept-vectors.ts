import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import { type ItemKey, type ManyKeys, manyKeys } from "./item-keys.js";

/** A vector that stays. */
export interface KeptVector extends ItemKey {
  readonly fieldName: string;
}

/** The parameters of a statement about the vectors of items, except some. */
export interface KeptParams extends ManyKeys {
  readonly keptPrefixes: readonly string[];
  readonly keptKeys: readonly string[];
  readonly keptNames: readonly string[];
}

/** Returns the parameters of a statement about the vectors of items, except some. */
export function keptParams(items: readonly ItemKey[], kept: readonly KeptVector[]): KeptParams {
  const { prefixes: keptPrefixes, keys: keptKeys } = manyKeys(kept);
  return { ...manyKeys(items), keptPrefixes, keptKeys, keptNames: kept.map(({ fieldName }) => fieldName) };
}

/** Whether a row of `store_vectors` is not among the vectors that stay. */
export function isNotKept(parameter: Parameter<KeptParams>): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (
    select from unnest(
      (select ${parameter("keptPrefixes")}::text[]), (select ${parameter("keptKeys")}::text[]),
      (select ${parameter("keptNames")}::text[])
    ) as kept(prefix, key, field_name)
    where kept.prefix = store_vectors.prefix and kept.key = store_vectors.key
      and kept.field_name = store_vectors.field_name
  )`;
}
