/**
 * A service with a saver and an idle connection, which is then killed. It exits with 0 if it survives and continues
 * to read. Arguments: the id of the saver, the connection string.
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
  // `once` from node:events would also listen for errors, which keeps a process alive.
  pool.once("remove", () => {
    resolve();
  });
});
process.send?.("idle");
await lost;
await saver.getTuple(threadConfig("any"));
await pool.end();
process.disconnect();
