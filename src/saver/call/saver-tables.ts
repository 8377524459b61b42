import { type DatabaseSource, openDatabase } from "../../db/open-database.js";
import { retryTransient } from "../../db/statements/retry-transient.js";
import { RowSecurityCheck } from "../../db/row-security.js";
import { migrateToLatest } from "../../migrations/migrate.js";
import { Telemetry } from "../../telemetry/telemetry.js";
import { parseConfigSignal, parseSignal } from "../../parsing/parse-call-options.js";
import type { SaverOptions } from "../boundary/parse-options.js";
import type { WritableTables } from "./write-rules.js";

/** The tables of a saver, as its options say; nothing is sent yet. */
export function openTables(source: DatabaseSource, options: SaverOptions): WritableTables {
  const { prepare, schema, retry, statementTimeoutMs, tenantId, concurrency, keepTombstones } = options;
  const { logger, notify, telemetry: choice } = options;
  const database = openDatabase(source, {
    prepare,
    onConnectionLost: (error) => {
      telemetry.connectionLost(error);
    },
  });
  const { address } = database;
  const telemetry = new Telemetry({ logger, address, threadIds: choice?.threadIds });
  return {
    database,
    telemetry,
    schema,
    retry,
    statementTimeoutMs,
    rules: { concurrency, keepTombstones },
    ...(notify && { notifies: true }),
    ...(tenantId !== undefined && { tenantId, rowSecurity: new RowSecurityCheck() }),
  };
}

/** Brings the tables up to date; see `PostgresSaver.setup`. */
export async function setUpTables(tables: WritableTables): Promise<void> {
  const { database, schema, retry, telemetry, call } = tables;
  const migrate = () => migrateToLatest(database.kysely, { schema });
  const steps = await retryTransient(migrate, database.kysely.isTransaction ? false : retry, {
    onRetry: (attempt) => call?.retrying(attempt),
  });
  if (steps.length > 0) telemetry?.log.write("info", "migrations applied", { schema, steps });
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
