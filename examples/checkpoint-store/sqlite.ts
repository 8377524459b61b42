import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";
import { playPipeline } from "./pipeline.js";

/**
 * The pipeline with its checkpoints in SQLite. It needs Node.js 22.13 or later.
 *
 * @param path - The file of the database. Default: in memory.
 */
export async function playInSqlite(path = ":memory:"): Promise<void> {
  await using store = new SqliteCheckpointStore(path, { table: "example_checkpoints" });
  await playPipeline(store);
}
