/** An index of the embeddings of the official JavaScript store. */
export interface OfficialIndex {
  readonly metric: "cosine" | "l2" | "ip";
  readonly kind: "hnsw" | "ivfflat";
}

/**
 * The statements that create the tables of the official JavaScript `PostgresStore` with embeddings, in the schema `public`. For databases
 * that it can't connect to.
 *
 * Taken from @langchain/langgraph-checkpoint-postgres 1.0.5 (MIT).
 */
export function officialStoreMigrations(dims: number, indexes: readonly OfficialIndex[]): readonly string[] {
  return [
    "CREATE TABLE store_migrations (v INTEGER PRIMARY KEY)",
    `CREATE TABLE store (
      namespace_path TEXT NOT NULL,
      key TEXT NOT NULL,
      value JSONB NOT NULL,
      created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP,
      updated_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP,
      expires_at TIMESTAMPTZ,
      PRIMARY KEY (namespace_path, key)
    )`,
    "CREATE INDEX idx_store_namespace_path ON store USING btree (namespace_path)",
    "CREATE INDEX idx_store_value_gin ON store USING gin (value)",
    "CREATE INDEX idx_store_expires_at ON store USING btree (expires_at) WHERE expires_at IS NOT NULL",
    `CREATE FUNCTION update_updated_at_column() RETURNS TRIGGER AS $$
      BEGIN
        NEW.updated_at = CURRENT_TIMESTAMP;
        RETURN NEW;
      END;
    $$ language 'plpgsql'`,
    `CREATE TRIGGER update_store_updated_at BEFORE UPDATE ON store
      FOR EACH ROW EXECUTE FUNCTION update_updated_at_column()`,
    "CREATE EXTENSION IF NOT EXISTS vector",
    `CREATE TABLE store_vectors (
      namespace_path TEXT NOT NULL,
      key TEXT NOT NULL,
      field_path TEXT NOT NULL,
      text_content TEXT NOT NULL,
      embedding vector(${dims}) NOT NULL,
      created_at TIMESTAMPTZ DEFAULT CURRENT_TIMESTAMP,
      PRIMARY KEY (namespace_path, key, field_path),
      FOREIGN KEY (namespace_path, key) REFERENCES store(namespace_path, key) ON DELETE CASCADE
    )`,
    ...indexes.map(
      ({ metric, kind }) =>
        `CREATE INDEX idx_store_vectors_embedding_${metric}_${kind} ON store_vectors
          USING ${kind} (embedding vector_${metric}_ops)`,
    ),
    `INSERT INTO store_migrations SELECT generate_series(0, ${5 + indexes.length})`,
  ];
}
