/** A version of langgraphgo, by what it knows about Postgres. */
export interface GoTables {
  /** What its `InitSchema` runs. */
  readonly schema: string;
  /** What its `Save` runs. The parameters are those of {@link goRow}. */
  readonly save: string;
  /** Whether it knows threads. */
  readonly hasThreads: boolean;
}

/** Returns the statements of langgraphgo v0.5.0, which knows no threads. */
export function firstGoTables(table: string): GoTables {
  return {
    hasThreads: false,
    schema: `
      CREATE TABLE IF NOT EXISTS ${table} (
        id TEXT PRIMARY KEY,
        execution_id TEXT NOT NULL,
        node_name TEXT NOT NULL,
        state JSONB NOT NULL,
        metadata JSONB,
        timestamp TIMESTAMPTZ NOT NULL,
        version INTEGER NOT NULL
      );
      CREATE INDEX IF NOT EXISTS idx_${table}_execution_id ON ${table} (execution_id);`,
    save: `
      INSERT INTO ${table} (id, execution_id, node_name, state, metadata, timestamp, version)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (id) DO UPDATE SET execution_id = EXCLUDED.execution_id, node_name = EXCLUDED.node_name,
        state = EXCLUDED.state, metadata = EXCLUDED.metadata, timestamp = EXCLUDED.timestamp,
        version = EXCLUDED.version`,
  };
}

/** Returns the statements of langgraphgo v0.8.5, which knows threads. */
export function todaysGoTables(table: string): GoTables {
  return {
    hasThreads: true,
    schema: `
      CREATE TABLE IF NOT EXISTS ${table} (
        id TEXT PRIMARY KEY,
        execution_id TEXT NOT NULL,
        thread_id TEXT,
        node_name TEXT NOT NULL,
        state JSONB NOT NULL,
        metadata JSONB,
        timestamp TIMESTAMPTZ NOT NULL,
        version INTEGER NOT NULL
      );
      CREATE INDEX IF NOT EXISTS idx_${table}_execution_id ON ${table} (execution_id);
      CREATE INDEX IF NOT EXISTS idx_${table}_thread_id ON ${table} (thread_id);
      CREATE INDEX IF NOT EXISTS idx_${table}_execution_thread ON ${table} (execution_id, thread_id);`,
    save: `
      INSERT INTO ${table} (id, execution_id, node_name, state, metadata, timestamp, version, thread_id)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (id) DO UPDATE SET execution_id = EXCLUDED.execution_id, thread_id = EXCLUDED.thread_id,
        node_name = EXCLUDED.node_name, state = EXCLUDED.state, metadata = EXCLUDED.metadata,
        timestamp = EXCLUDED.timestamp, version = EXCLUDED.version`,
  };
}

/** Returns the parameters of `Save` for a checkpoint. Go stores no map as JSON null, and no id as an empty text. */
export function goRow(
  { hasThreads }: GoTables,
  id: string,
  metadata: Readonly<Record<string, unknown>> | null,
): unknown[] {
  const textOf = (name: string) => (typeof metadata?.[name] === "string" ? metadata[name] : "");
  return [
    id,
    textOf("execution_id"),
    "fetch",
    JSON.stringify({ pages: [1, 2.5] }),
    JSON.stringify(metadata),
    "2025-12-06T10:20:30.123456789+08:00",
    1,
    ...(hasThreads ? [textOf("thread_id")] : []),
  ];
}
