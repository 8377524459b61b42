import { sql } from "kysely";
import { migrateCommand, quoted } from "../db/migrate-command.js";
import { readList, selectedList } from "../db/selected-list.js";
import {
  optionalIndexStatus,
  OPTIONAL_INDEXES,
  parseOptionalIndexes,
} from "../migrations/indexes/optional-index.js";
import { leavesOf } from "../migrations/catalog-expressions.js";
import { presentSets } from "../migrations/sets.js";
import { type DoctoredDatabase, type CheckedTable, ROW_TABLES, ROW_TABLE_NAMES } from "./catalog.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, error } = findingsOf("indexes");
const OPTIONAL = parseOptionalIndexes(Object.keys(OPTIONAL_INDEXES));
const OPTIONAL_NAMES: readonly string[] = OPTIONAL.flatMap((index) =>
  OPTIONAL_INDEXES[index].map(({ name }) => name),
);

/** Checks the primary keys, and finds indexes that slow down writes for nothing. */
export const checkIndexes: Check = {
  name: "indexes",
  run: async (examination) => {
    const { db, schema } = examination;
    const tables = ROW_TABLES.filter(({ name }) => schema.tables.has(name));
    if (tables.length === 0) return optionalOf(examination);
    const indexes = await readIndexes(db, schema.name);
    const keys = tables.flatMap((table) => keyOf(table, indexes, schema.name));
    return [
      ...(keys.length > 0 ? keys : ok("all primary keys exist and are valid")),
      ...indexes.flatMap((index) => uselessOf(index, schema.name)),
      ...(await optionalOf(examination)),
    ];
  },
};

type IndexRow = Awaited<ReturnType<typeof readIndexes>>[number];

function readIndexes(db: DoctoredDatabase, schema: string) {
  return db
    .selectFrom("pg_catalog.pg_index as index")
    .innerJoin("pg_catalog.pg_class as relation", "relation.oid", "index.indexrelid")
    .innerJoin("pg_catalog.pg_class as table", "table.oid", "index.indrelid")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "table.relnamespace")
    .select(["table.relname as table", "relation.relname as name"])
    .select(["index.indisunique as isUnique", "index.indisprimary as isPrimary"])
    .select(sql<boolean>`index.indisvalid and index.indisready`.as("isValid"))
    .select(sql<boolean>`index.indpred is null and index.indexprs is null`.as("isPlain"))
    .select(sql<boolean>`relation.relkind = 'I'`.as("isPartitioned"))
    .select(
      sql<string>`pg_size_pretty((
        select sum(pg_relation_size(part)) from (${leavesOf(sql`index.indexrelid`)}) as parts (part)))`.as(
        "size",
      ),
    )
    .select(
      selectedList(sql<string[]>`array(
        select attname::text
        from unnest(index.indkey::int2[]) with ordinality as key (number, nth)
        join pg_catalog.pg_attribute on attrelid = index.indrelid and attnum = key.number
        where key.nth <= index.indnkeyatts
        order by key.nth)`).as("columns"),
    )
    .where("namespace.nspname", "=", schema)
    .where("table.relname", "in", ROW_TABLE_NAMES)
    .orderBy("relation.relname")
    .execute();
}

/** Accepts any unique index on the key columns: the tables may have been created by hand. */
function keyOf({ name, key }: CheckedTable, indexes: readonly IndexRow[], schema: string): Finding[] {
  const found = indexes.filter(
    (index) =>
      index.table === name &&
      index.isUnique &&
      index.isPlain &&
      readList(index.columns).join() === key.join(),
  );
  if (found.some(({ isValid }) => isValid)) return [];
  const [broken] = found;
  return broken === undefined
    ? error(
        `table "${name}" has no primary key (${key.join(", ")}), so writes fail`,
        `alter table ${quoted(schema, name)} add primary key (${key.map((column) => quoted(column)).join(", ")})`,
      )
    : error(
        `index "${broken.name}", the key of table "${name}", is invalid`,
        `reindex index concurrently ${quoted(schema, broken.name)}`,
      );
}

function uselessOf(index: IndexRow, schema: string): Finding[] {
  // Postgres can't drop the index of a partitioned table concurrently.
  const drop = `drop index ${index.isPartitioned ? "" : "concurrently "}${quoted(schema, index.name)}`;
  if (!index.isValid && !index.isUnique && !OPTIONAL_NAMES.includes(index.name)) {
    const again = `${drop}, or reindex index concurrently ${quoted(schema, index.name)}`;
    return warning(`index "${index.name}" is invalid: it slows down writes, and no query uses it`, again);
  }
  const isDuplicate =
    index.name === `${index.table}_thread_id_idx` && readList(index.columns).join() === "thread_id";
  if (!isDuplicate || index.isUnique || !index.isPlain) return [];
  return warning(
    `index "${index.name}" (${index.size}) of the official savers duplicates the primary key, and slows down writes`,
    drop,
  );
}

async function optionalOf({ db, schema }: Examination): Promise<Finding[]> {
  const sets = schema.usable ? await presentSets(db, schema.name, {}) : [];
  const ofOptional = sets.flatMap(({ optional, tables }) => (optional ? Object.keys(tables) : []));
  const possible = OPTIONAL.filter((index) =>
    OPTIONAL_INDEXES[index].every(({ table }) => schema.tables.has(table) || ofOptional.includes(table)),
  );
  if (possible.length === 0) return [];
  const states = await optionalIndexStatus(db, { schema: schema.name });
  return possible.flatMap((index) => {
    const state = states[index];
    const names = OPTIONAL_INDEXES[index].map(({ name }) => `"${name}"`).join(", ");
    const name = `${index} ${names}`;
    if (state === "broken") {
      return warning(
        `${name} was not built completely: it slows down writes, and no query uses it`,
        `${migrateCommand(schema.name)} --with ${index}`,
      );
    }
    return ok(
      state === "missing"
        ? `${index} does not exist; it is optional (migrate --with ${index})`
        : `${name}: ${state}`,
    );
  });
}
