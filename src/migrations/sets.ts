import type { Tables } from "./in-locked-transaction.js";
import { sql } from "kysely";
import { createConversations } from "./steps/conversation-steps.js";
import { createCache } from "./steps/cache-steps.js";
import { checkpointStoreSet, CHECKPOINT_STORE_COLUMNS } from "./checkpoint-store-set.js";
import { hasColumn, isNullable } from "./catalog-expressions.js";
import { type FoundTable, type MigrationSet, type OptionalTables, withRequired } from "./migration-set.js";
import { MIGRATION_STEPS } from "./steps/saver-steps.js";
import { ANY, BYTEA, INTEGER, JSONB, nullable, TEXT, TIME } from "./table-shape.js";
import { createStore, createIndexes, createVectors } from "./steps/store-steps.js";
import type { VectorLayout } from "./vector-layout.js";
import { IncompatibleTablesError } from "../errors/index.js";
import { convertCommand } from "./conversion.js";
import { readList, selectedList } from "../db/selected-list.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { isNameOfSavers, problemOfCheckpointTable, recordOfCheckpointTable } from "./checkpoint-table.js";

/** What the optional tables are like when they are created. Later migrations don't change it. */
export interface OptionalTableOptions {
  /** The column of the embeddings. Required to create the tables `vectors`. */
  readonly vectors?: VectorLayout | undefined;
  /** Whether the cache is left out of the write-ahead log. Default `true`. */
  readonly unloggedCache?: boolean | undefined;
  /** The name of the table of a checkpoint store, which may be one of langgraphgo to adopt. Default `checkpoint_store`. */
  readonly checkpointTable?: string | undefined;
}

/** The tables of the savers. */
export const CHECKPOINT_SET: MigrationSet = {
  record: "checkpoint_kysely_migration",
  steps: MIGRATION_STEPS,
  partitionKey: "thread_id",
  countedIn: "checkpoint_migrations",
  laterTables: {
    checkpoint_tombstones: {
      step: "0005-create-tombstones",
      shape: { columns: { thread_id: TEXT, deleted_at: TIME }, key: ["thread_id"] },
    },
  },
  together: ["checkpoints", "checkpoint_blobs", "checkpoint_writes"],
  tables: {
    checkpoints: {
      columns: {
        thread_id: TEXT,
        checkpoint_ns: TEXT,
        checkpoint_id: TEXT,
        parent_checkpoint_id: nullable(TEXT),
        checkpoint: JSONB,
        metadata: JSONB,
      },
      key: ["thread_id", "checkpoint_ns", "checkpoint_id"],
    },
    checkpoint_blobs: {
      // `blob` may be NOT NULL at first: a step changes it.
      columns: {
        thread_id: TEXT,
        checkpoint_ns: TEXT,
        channel: TEXT,
        version: TEXT,
        type: TEXT,
        blob: BYTEA,
      },
      added: { base: nullable(TEXT), whole_bytes: nullable(INTEGER) },
      key: ["thread_id", "checkpoint_ns", "channel", "version"],
    },
    checkpoint_writes: {
      columns: {
        thread_id: TEXT,
        checkpoint_ns: TEXT,
        checkpoint_id: TEXT,
        task_id: TEXT,
        idx: INTEGER,
        channel: TEXT,
        type: TEXT,
        blob: BYTEA,
      },
      added: { task_path: TEXT },
      key: ["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx"],
    },
  },
  isComplete: (schema) => sql<boolean>`${hasColumn(schema, "checkpoints", "metadata")}
    and ${isNullable(schema, "checkpoint_blobs", "blob")}
    and ${hasColumn(schema, "checkpoint_writes", "task_path")}`,
  recognize: recognizeShallow,
};

/** The optional tables, in the order in which they are migrated: embeddings reference the items of the store. */
export function optionalSets(
  options: OptionalTableOptions = {},
): Readonly<Record<OptionalTables, MigrationSet>> {
  const { vectors, unloggedCache = true, checkpointTable } = options;
  return {
    store: {
      optional: "store",
      record: "store_kysely_migration",
      steps: {
        "store-0001-create-store": createStore,
        "store-0002-create-indexes": createIndexes,
      },
      countedIn: "store_migrations",
      tables: {
        store: {
          columns: { prefix: TEXT, key: TEXT, value: JSONB, created_at: TIME, updated_at: TIME },
          // Python's minutes are integers: the step changes their type.
          added: {
            expires_at: nullable(TIME),
            ttl_minutes: nullable({ types: ["double precision", "integer"] }),
            version: { types: ["bigint"] },
          },
          key: ["prefix", "key"],
        },
      },
      referencedBy: ["store_vectors"],
      isComplete: (schema) => hasColumn(schema, "store", "version"),
      recognize: recognizeOfficialStore,
    },
    vectors: {
      optional: "vectors",
      record: "store_vectors_kysely_migration",
      steps: { "vectors-0001-create-vectors": createVectors(vectors) },
      countedIn: "vector_migrations",
      laterTables: {
        store_embedding_model: {
          step: "vectors-0001-create-vectors",
          shape: { columns: { single: { types: ["boolean"] }, model: TEXT }, key: ["single"] },
        },
      },
      tables: {
        store_vectors: {
          columns: { prefix: TEXT, key: TEXT, field_name: TEXT, embedding: ANY },
          added: { created_at: TIME, updated_at: TIME, text_hash: nullable(BYTEA) },
          key: ["prefix", "key", "field_name"],
          references: ["store"],
        },
      },
      isComplete: (schema) => hasColumn(schema, "store_vectors", "text_hash"),
      recognize: recognizeOfficialStore,
    },
    cache: {
      optional: "cache",
      record: "cache_kysely_migration",
      steps: { "cache-0001-create-cache": createCache(unloggedCache) },
      tables: {
        cache_entries: {
          columns: {
            namespace: TEXT,
            key: TEXT,
            type: TEXT,
            value: BYTEA,
            size: INTEGER,
            created_at: TIME,
            expires_at: nullable(TIME),
          },
          key: ["namespace", "key"],
        },
      },
      isComplete: (schema) => hasColumn(schema, "cache_entries", "size"),
    },
    conversations: {
      optional: "conversations",
      record: "checkpoint_conversations_kysely_migration",
      steps: { "conversations-0001-create-conversations": createConversations },
      tables: {
        checkpoint_conversations: {
          columns: { thread_id: TEXT, created_at: TIME, updated_at: TIME, metadata: JSONB },
          key: ["thread_id"],
        },
      },
      isComplete: (schema) => hasColumn(schema, "checkpoint_conversations", "graph_id"),
    },
    "checkpoint-store": checkpointStoreSet({ table: checkpointTable }),
  };
}

/** Recognizes the tables of the official JavaScript store. */
function recognizeOfficialStore(
  schema: string,
  tables: readonly FoundTable[],
): IncompatibleTablesError | undefined {
  if (!tables.some(({ columns }) => columns.includes("namespace_path"))) return undefined;
  const message =
    `schema "${schema}" has the tables of the official JavaScript PostgresStore, which have other columns: neither ` +
    "this library nor Python's PostgresStore can use them. To convert them, stop the services that use them and run " +
    `\`${convertCommand(schema, "javascript-store") ?? ""}\`; or use another schema`;
  return new IncompatibleTablesError(schema, "javascript-store", message);
}

/** The columns that the tables of Python's shallow saver lack: it keeps one checkpoint of a namespace, and one value of a channel. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  checkpoints: ["checkpoint_id", "parent_checkpoint_id"],
  checkpoint_blobs: ["version"],
  checkpoint_writes: [],
};

/** Recognizes the tables of Python's `ShallowPostgresSaver`. */
function recognizeShallow(
  schema: string,
  tables: readonly FoundTable[],
): IncompatibleTablesError | undefined {
  const isShallow = tables.every(({ table, missing }) => {
    const expected = MISSING[table] ?? [];
    return missing.length === expected.length && missing.every((column) => expected.includes(column));
  });
  if (!isShallow) return undefined;
  const message =
    `schema "${schema}" has the tables of Python's ShallowPostgresSaver, which keep one checkpoint of a thread and ` +
    "have other columns: neither this library nor Python's PostgresSaver can use them. To convert them, stop the " +
    `services that use them and run \`${convertCommand(schema, "python-shallow") ?? ""}\`; or use another schema`;
  return new IncompatibleTablesError(schema, "python-shallow", message);
}

/** Which optional tables to migrate, and what they are like. */
export interface WantedTables extends OptionalTableOptions {
  /** The optional tables to create, `vectors` together with `store`. Those that exist are migrated anyway. Default: none. */
  readonly with?: readonly OptionalTables[] | undefined;
}

/**
 * Returns the sets that a schema has or should have: the tables of the savers, then the optional ones. Where a checkpoint store has a table
 * with the name of a saver's, as Go's have by default, savers have no tables.
 */
export async function presentSets(
  db: Tables,
  schema: string,
  { with: wanted = [], ...options }: WantedTables,
): Promise<MigrationSet[]> {
  const known = optionalSets(options);
  const { records, tables } = await readPresent(db, schema, Object.values(known));
  const names: readonly string[] = withRequired(wanted);
  const isFound = (name: string, { record }: MigrationSet) =>
    names.includes(name) || records.includes(record);
  const optional = Object.entries(known).flatMap(([name, set]) => (isFound(name, set) ? [set] : []));
  const others = tables.filter((table) =>
    optional.every(({ record }) => record !== recordOfCheckpointTable(table)),
  );
  const sets = [...optional, ...others.map((table) => checkpointStoreSet({ table }))];
  const hasSavers = !sets.some(({ checkpointTable = "" }) => isNameOfSavers(checkpointTable));
  return hasSavers ? [CHECKPOINT_SET, ...sets] : sets;
}

interface Present {
  /** Which of the records of known sets exist. */
  readonly records: readonly string[];
  /** The tables of checkpoint stores that have a record, whatever their names are. */
  readonly tables: readonly string[];
}

async function readPresent(db: Tables, schema: string, sets: readonly MigrationSet[]): Promise<Present> {
  const records = sql<string[]>`array(
      select record from unnest(${sets.map(({ record }) => record)}::text[]) record
      where to_regclass(format('%I.%I', ${schema}::text, record)) is not null)`;
  const tables = sql<string[]>`array(
      select checkpoints.relname::text
      from pg_class checkpoints
      join pg_class record on record.relnamespace = checkpoints.relnamespace
        and record.relname::text = checkpoints.relname || ${recordOfCheckpointTable("")}
      where checkpoints.relnamespace = to_regnamespace(format('%I', ${schema}::text))
        and ${[...CHECKPOINT_STORE_COLUMNS]}::text[] <@ array(
          select attname::text from pg_attribute where attrelid = checkpoints.oid and not attisdropped)
      order by checkpoints.relname)`;
  const query = sql<{ records: string; tables: string }>`
    select ${selectedList(records)} as "records", ${selectedList(tables)} as "tables"`;
  const { rows } = await query.execute(plainKysely(db)).catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  const [row] = rows;
  const names = readList(row?.tables).filter((table) => problemOfCheckpointTable(table) === undefined);
  return { records: readList(row?.records), tables: names };
}
