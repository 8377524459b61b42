import { CompiledQuery, type Kysely } from "kysely";
import { InvalidConfigError } from "../../errors/index.js";
import type { LockConnection } from "./lock-connection.js";

const PGLITE_PROBLEM =
  "PGlite has one connection, which a lock must not keep: lend the PGlite itself, or a Kysely on Kysely's PGliteDialect";

/**
 * Takes one connection of a Kysely that was lent. That it died shows only when something is sent on it.
 *
 * It goes back into circulation when it is closed, so that what is broken is cleared up here: the transaction is ended, and
 * the locks with it where that still works. A connection that is dead is not put back by any pool.
 */
export async function connectThroughKysely<DB>(kysely: Kysely<DB>): Promise<LockConnection> {
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

// Behind a dialect that doesn't say so. All that goes through it would end up in the transaction of the locks.
async function isPGlite(send: (sql: string) => Promise<unknown[]>): Promise<boolean> {
  const [row] = await send("select version() like '%emscripten%' as is_pglite");
  return (row as { is_pglite: boolean }).is_pglite;
}
