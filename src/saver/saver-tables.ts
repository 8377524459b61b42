import { type DatabaseSource, openDatabase } from "../db/open-database.js";
import { retryTransient } from "../db/retry-transient.js";
import { RowSecurityCheck } from "../db/row-security.js";
import { migrateToLatest } from "../migrations/migrate.js";
import { parseConfigSignal, parseSignal } from "./boundary/parse-call-options.js";
import type { SaverOptions } from "./boundary/parse-options.js";
import type { WritableTables } from "./write-rules.js";

/** The tables of a saver, as its options say; nothing is sent yet. */
export function openTables(source: DatabaseSource, options: SaverOptions): WritableTables {
  const { prepare, schema, retry, statementTimeoutMs, tenantId, concurrency, keepTombstones } = options;
  return {
    database: openDatabase(source, { prepare }),
    schema,
    retry,
    statementTimeoutMs,
    rules: { concurrency, keepTombstones },
    ...(tenantId !== undefined && { tenantId, rowSecurity: new RowSecurityCheck() }),
  };
}

/** Brings the tables up to date; see `PostgresSaver.setup`. */
export async function setUpTables({ database, schema, retry }: WritableTables): Promise<void> {
  const migrate = () => migrateToLatest(database.kysely, { schema });
  await retryTransient(migrate, database.kysely.isTransaction ? false : retry);
}

/**
 * The tables for one call.
 *
 * @param config - Of a read, which ends with the run that it is part of. What an aborted run has begun to save is saved all
 *   the same, as LangGraph counts on it.
 */
export function tablesFor(tables: WritableTables, options: unknown, config?: unknown): WritableTables {
  const signal = parseSignal(options) ?? parseConfigSignal(config);
  return signal === undefined ? tables : { ...tables, signal };
}
