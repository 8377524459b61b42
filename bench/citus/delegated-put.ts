import type pg from "pg";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import type { TestDatabase } from "../../test-support/test-database.js";
import { UNGROUPED } from "../subjects.js";

const PUT = 'with "blobs" as (insert into';
/** The types of the parameters of a put without options. */
const PARAMETERS = "text, text, text[], text[], text[], bytea[], boolean[], text, text, jsonb, jsonb";
const CALL = `select stored_put(${PARAMETERS.split(", ")
  .map((type, index) => `$${index + 1}::${type}`)
  .join(", ")})`;

interface SentStatement extends pg.QueryConfig<unknown[]> {
  readonly callback: (error: unknown, rows?: unknown[][]) => void;
}

/**
 * Makes a function of the statement of `put` on one server, which Citus runs on the node of the thread, and lets the pool call it instead of
 * sending the statement. The savers on the pool take the server for one without Citus. They are only for puts: their other calls are not
 * those of a cluster.
 */
export async function delegatePuts(pool: pg.Pool, database: TestDatabase<string>): Promise<void> {
  let recorded: string | undefined;
  let isCreated = false;
  pool.on("connect", (client) => {
    const query: (sent: string | pg.QueryConfig) => Promise<pg.QueryResult> = client.query.bind(client);
    Object.assign(client, {
      query: (sent: string | SentStatement) => {
        if (typeof sent === "string") return query(sent);
        if (sent.text.includes("pg_dist_partition")) {
          sent.callback(null, [[]]);
          return sent;
        }
        if (!sent.text.startsWith(PUT)) return query(sent);
        recorded ??= sent.text;
        if (recorded !== sent.text) throw new Error("put has several statements");
        if (!isCreated) return query(sent);
        // What the saver sends is an object of its own, which waits for its callback.
        query({ name: "stored_put", text: CALL, values: sent.values ?? [] }).then(
          () => {
            sent.callback(null, [[]]);
          },
          (error: unknown) => {
            sent.callback(error);
          },
        );
        return sent;
      },
    });
  });
  await putValues(UNGROUPED.open(pool), threadConfig(newThread()), { any: 1 });
  if (recorded === undefined) throw new Error("put has sent no statement that is known");
  await database.exec(`
    create function stored_put(${PARAMETERS}) returns void language plpgsql as $body$ begin ${recorded}; end $body$;
    select create_distributed_function('stored_put(${PARAMETERS})', '$1', colocate_with => 'checkpoints')`);
  isCreated = true;
}
