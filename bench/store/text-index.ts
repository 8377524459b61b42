import type { BenchDatabase } from "../bench-server.js";

// The addresses are not literals, so TypeScript does not resolve them: types are checked before there is a build.
const { openDatabase } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/db")
)) as typeof import("../../src/db/index.js");
const { createOptionalIndexes, dropOptionalIndexes } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/migrations")
)) as typeof import("../../src/migrations/index.js");

const INDEXES = ["store-text-index"] as const;

/** Runs something while a database has the optional index of texts, as `migrate --with store-text-index` builds it. */
export async function withTextIndex<T>({ source }: BenchDatabase, run: () => Promise<T>): Promise<T> {
  const { kysely, close } = openDatabase(source);
  try {
    await createOptionalIndexes(kysely, { indexes: INDEXES });
    return await run();
  } finally {
    await dropOptionalIndexes(kysely, { indexes: INDEXES });
    await close();
  }
}
