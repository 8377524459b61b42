import { sql } from "kysely";
import { Statement } from "../../db/statements/statement.js";

/** A moment in the life of a server. */
interface ServerMoment {
  /** Changes when the server is started again, replaced or restored. */
  readonly server: string;
  /** The oldest transaction that had not ended. All before it had. */
  readonly transaction: string;
}

/** Tells which server answers, and how far it is. */
export const oldestTransaction = /* @__PURE__ */ new Statement<object, ServerMoment>((db) =>
  db.selectNoFrom([
    sql<string>`pg_postmaster_start_time()::text`.as("server"),
    sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`.as("transaction"),
  ]),
);
