import { type RawBuilder, sql } from "kysely";
import type { VectorIndex, VectorLayout } from "./vector-layout.js";

const OPERATORS = { cosine: "cosine_ops", l2: "l2_ops", inner_product: "ip_ops" } as const;

/** The part of `create index` after the table, for an index of embeddings. Not for the kind `flat`, which has no index. */
export function vectorIndexOn(
  column: string,
  { type = "vector", distance = "cosine", index = { kind: "hnsw" } }: VectorLayout,
): RawBuilder<unknown> {
  const operators = sql.raw(`${type}_${OPERATORS[distance]}`);
  return sql`using ${sql.raw(index.kind)} (${sql.id(column)} ${operators}) ${storageOf(index)}`;
}

function storageOf(index: VectorIndex): RawBuilder<unknown> {
  const given = Object.entries(parametersOf(index)).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${sql.id(name)} = ${sql.lit(value)}`],
  );
  return given.length === 0 ? sql`` : sql`with (${sql.join(given)})`;
}

function parametersOf(index: VectorIndex): Readonly<Record<string, number | undefined>> {
  if (index.kind === "hnsw") return { m: index.m, ef_construction: index.efConstruction };
  return index.kind === "ivfflat" ? { lists: index.lists } : {};
}
