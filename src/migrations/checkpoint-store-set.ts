import { InvalidConfigError } from "../errors/index.js";
import { hasColumn } from "./catalog-expressions.js";
import { createCheckpointStore } from "./steps/checkpoint-store-steps.js";
import {
  CHECKPOINT_STORE_TABLE,
  isNameOfOtherTable,
  problemOfCheckpointTable,
  recordOfCheckpointTable,
} from "./checkpoint-table.js";
import type { FoundTable, MigrationSet } from "./migration-set.js";
import { INTEGER, JSONB, nullable, type ExpectedTable, TEXT, TIME } from "./table-shape.js";

/** The table in every version of langgraphgo, which lets any column but the id be NULL. */
const CHECKPOINT_STORE: ExpectedTable = {
  columns: {
    id: TEXT,
    execution_id: TEXT,
    node_name: TEXT,
    state: JSONB,
    metadata: nullable(JSONB),
    timestamp: TIME,
    version: INTEGER,
  },
  added: { thread_id: nullable(TEXT) },
  key: ["id"],
};

/** The columns of the table in every version of langgraphgo. */
export const CHECKPOINT_STORE_COLUMNS: readonly string[] = Object.keys(CHECKPOINT_STORE.columns);

/** What {@link checkpointStoreSet} needs to know. */
export interface CheckpointStoreSetOptions {
  /** The name of the table. Default `checkpoint_store`. */
  readonly table?: string | undefined;
}

/**
 * Returns the tables of a checkpoint store: that of its checkpoints, and the one that records its steps.
 *
 * @throws InvalidConfigError for a name that can't be that of the table; see {@link problemOfCheckpointTable}.
 */
export function checkpointStoreSet(options: CheckpointStoreSetOptions = {}): MigrationSet {
  const { table = CHECKPOINT_STORE_TABLE } = options;
  const problem = problemOfCheckpointTable(table);
  if (problem !== undefined) throw new InvalidConfigError("table", problem);
  return {
    optional: "checkpoint-store",
    checkpointTable: table === CHECKPOINT_STORE_TABLE ? undefined : table,
    record: recordOfCheckpointTable(table),
    steps: { "checkpoint-store-0001-create-checkpoint-store": createCheckpointStore(table) },
    tables: { [table]: CHECKPOINT_STORE },
    isComplete: (schema) => hasColumn(schema, table, "thread_id"),
    refuse: (schema, [found]) => {
      const problem = found === undefined ? problemOfNew(table) : problemOfExisting(schema, found);
      if (problem === undefined) return undefined;
      return new InvalidConfigError("table", `${problem}. Choose another name`);
    },
  };
}

/** The setup of the saver or the store that the name belongs to would fail. */
function problemOfNew(table: string): string | undefined {
  if (!isNameOfOtherTable(table)) return undefined;
  return `must not be "${table}", which is another table of LangGraph or of this library, unless langgraphgo has created it`;
}

function problemOfExisting(schema: string, { table, columns, missing }: FoundTable): string | undefined {
  if (missing.length === 0) return undefined;
  if (columns.includes("checkpoint_ns")) {
    return `"${table}" of schema "${schema}" is a table of LangGraph's savers, with other columns`;
  }
  const names = missing.map((column) => `"${column}"`).join(", ");
  return `"${table}" of schema "${schema}" lacks the columns ${names}: it is not a table of checkpoints`;
}
