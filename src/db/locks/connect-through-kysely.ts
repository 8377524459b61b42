import { CompiledQuery, type Kysely } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";
import type { SessionConnection } from "../sessions/live-session.js";

const PGLITE_PROBLEM =
  "PGlite has one connection, which a lock must not occupy: pass in the PGlite itself, or a Kysely on Kysely's PGliteDialect";

/**
 * Takes one connection of a passed-in Kysely. Its loss shows only when something is sent on it.
 *
 * When it is closed, the connection returns to the pool. A broken one is cleaned up first: its transaction is
 * ended and its locks are released, if the connection still works. No pool reuses a dead connection.
 */
export async function connectThroughKysely<DB>(kysely: Kysely<DB>): Promise<SessionConnection> {
  return new Promise((resolve, reject) => {
    kysely
      .connection()
      .execute(async (connection) => {
        const send = async (sql: string): Promise<unknown[]> =>
          (await connection.executeQuery(CompiledQuery.raw(sql))).rows;
        if (await isPGlite(send)) throw new InvalidConfigError("source", PGLITE_PROBLEM);
        const state = await new Promise<"clean" | "broken">((close) => {
          resolve({ send, close });
        });
        if (state === "clean") return;
        await send("rollback");
        await send("select pg_advisory_unlock_all()");
      })
      .catch(reject);
  });
}

// Detects PGlite behind a dialect that claims to have several connections. All other queries would become
// part of the transaction that holds the locks.
async function isPGlite(send: (sql: string) => Promise<unknown[]>): Promise<boolean> {
  const [row] = await send("select version() like '%emscripten%' as is_pglite");
  return (row as { is_pglite: boolean }).is_pglite;
}
