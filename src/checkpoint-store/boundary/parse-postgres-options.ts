import { z } from "zod";
import { CHECKPOINT_STORE_TABLE, problemOfCheckpointTable } from "../../migrations/checkpoint-table.js";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse } from "../../parsing/parse.js";
import { checkpointStoreOptions } from "./parse-store-options.js";

/** The name of the table, as the options of Postgres and of SQLite have it. */
export const tableName = z
  .string()
  .superRefine((name, context) => {
    const problem = problemOfCheckpointTable(name);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .default(CHECKPOINT_STORE_TABLE);

const { schema, prepare, retry, statementTimeoutMs } = connectionOptions;

// Strict: a misspelt option would silently have no effect.
const postgresOptions = z.strictObject({
  ...checkpointStoreOptions,
  schema,
  prepare,
  retry,
  statementTimeoutMs,
  table: tableName,
});

/** The parsed options of a store in Postgres, with defaults. */
export type PostgresOptions = z.output<typeof postgresOptions>;

export function parsePostgresOptions(options: unknown): PostgresOptions {
  return parse(postgresOptions, options, "options");
}
