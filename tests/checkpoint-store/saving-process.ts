import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";

/**
 * A process that saves checkpoints of execution `e` in a SQLite database until it is killed, and prints the number of each one that was
 * acknowledged. It keeps the newest three, so that it also deletes.
 *
 * Argument: the path of the database.
 */
const [path = ""] = process.argv.slice(2);
const store = new SqliteCheckpointStore(path);
await store.setup();
for (let n = 1; ; n++) {
  const state = { n, text: String(n).repeat(5_000) };
  await store.save(createCheckpoint({ executionId: "e", nodeName: "n", state, version: n, id: `c${n}` }), {
    keepLast: 3,
  });
  process.stdout.write(`${n}\n`);
}
