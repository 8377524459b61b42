/**
 * Shows an agent that remembers its user over threads. Run it with `npm run demo:memory`: it needs no API key, no network and no server.
 * `npm run demo:memory -- postgres://…` runs it on your server.
 */
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import pg from "pg";
import { playMemory } from "./play.js";

const [, , url] = process.argv;
if (url === undefined) {
  const pglite = await PGlite.create({ extensions: { vector } });
  await playMemory(pglite);
  await pglite.close();
} else {
  const pool = new pg.Pool({ connectionString: url });
  await playMemory(pool);
  await pool.end();
}
