/**
 * A service with a saver and an idle connection, which is then killed. It exits with 0 if it still lives by then and
 * reads on. Arguments: the id of the saver, the connection string.
 */
import pg from "pg";
import { threadConfig } from "../../test-support/checkpoints.js";
import { OFFICIAL, OURS } from "../subjects.js";

const [id, connectionString] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, idleTimeoutMillis: 0 });
const saver = (id === OURS.id ? OURS : OFFICIAL).open(pool);
await saver.setup();
await saver.getTuple(threadConfig("any"));

const lost = new Promise<void>((resolve) => {
  // By `once` from node:events it would be listened for errors as well, which is what keeps a process alive.
  pool.once("remove", () => {
    resolve();
  });
});
process.send?.("idle");
await lost;
await saver.getTuple(threadConfig("any"));
await pool.end();
process.disconnect();
