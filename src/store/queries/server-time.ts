import { sql } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { Statement } from "../../db/statements/statement.js";

/** Reads the time of the server, in seconds since 1970. */
export const serverTime = /* @__PURE__ */ new Statement<object, { readonly seconds: number }>((db) =>
  db.selectNoFrom(sql<number>`extract(epoch from ${CURRENT_TIME})::float8`.as("seconds")),
);
