import { z } from "zod";
import { connectionOptions } from "../../parsing/connection-options.js";
import { parse } from "../../parsing/parse.js";
import { checkpointStoreOptions } from "./parse-checkpoint-store-options.js";
import { tableName } from "./table-name.js";

// Strict: a misspelt option would silently have no effect.
const sqliteOptions = z.strictObject({
  ...checkpointStoreOptions,
  retry: connectionOptions.retry,
  table: tableName,
});

export function parseSqliteOptions(options: unknown): z.output<typeof sqliteOptions> {
  return parse(sqliteOptions, options, "options");
}
