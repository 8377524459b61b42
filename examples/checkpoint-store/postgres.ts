import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { playPipeline } from "./pipeline.js";

/**
 * The pipeline with its checkpoints in Postgres.
 *
 * @param url - `postgres://…`. Default: a PGlite in memory, for which nothing else need run.
 */
export async function playInPostgres(url = "memory://"): Promise<void> {
  await using store = new PostgresCheckpointStore(url, { table: "example_checkpoints" });
  await playPipeline(store);
}
