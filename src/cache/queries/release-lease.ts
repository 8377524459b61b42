import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { Lease } from "./take-lease.js";

/** Ends a lease, unless it has expired and another process has taken it. */
export function releaseLease(schema: string, { place, token }: Lease): BoundStatement<unknown> {
  return statement.bind(schema, { ...place, token });
}

const statement = /* @__PURE__ */ new Statement<
  { readonly namespace: string; readonly key: string; readonly token: string },
  unknown
>((db, parameter) =>
  db
    .deleteFrom("cache_entries")
    .where("namespace", "=", parameter("namespace"))
    .where("key", "=", parameter("key"))
    .where("value", "=", sql<Buffer>`convert_to(${parameter("token")}, 'UTF8')`),
);
