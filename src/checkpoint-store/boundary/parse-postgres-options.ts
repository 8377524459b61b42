import { z } from "zod";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse } from "../../parsing/parse.js";
import { checkpointStoreOptions } from "./parse-checkpoint-store-options.js";
import { tableName } from "./table-name.js";

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
