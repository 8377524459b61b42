import { sql, type SqlBool } from "kysely";
import { isAlive, CURRENT_TIME } from "../../db/expiry.js";
import { secondsText } from "../../db/number-text.js";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import { itemColumns, type StoreRow } from "./item-rows.js";
import { isInScope, type ScopeParams, scopeParams } from "./item-scope.js";

/** The last item that a page of {@link changedItems} had, or where the first page begins. */
export interface ChangeCursor {
  /** Seconds since 1970. */
  readonly since: number;
  readonly afterPrefix: string;
  readonly afterKey: string;
}

/** An item with the time of its last change in seconds since 1970, as text, exact to a microsecond. */
interface ChangedRow extends StoreRow {
  readonly updated_seconds: string;
}

/** A page of the items of a scope that were stored since a time, those that were stored first before the others. */
export function changedItems(
  schema: string,
  prefix: string,
  cursor: ChangeCursor,
  limit: number,
): BoundStatement<ChangedRow> {
  return statements.of(prefix === "").bind(schema, { ...scopeParams(prefix), ...cursor, limit });
}

interface ChangedParams extends ScopeParams, ChangeCursor {
  readonly limit: number;
}

const statements = new StatementFamily<boolean, ChangedParams, ChangedRow>(
  (isEverything) => (db, parameter) => {
    const since = sql`to_timestamp(${parameter("since")}::float8)`;
    // The order of the index of the newest items, backward.
    return db
      .selectFrom("store")
      .where(sql<SqlBool>`store.updated_at >= ${since}`)
      .where(
        sql<SqlBool>`(store.updated_at > ${since}
            or (store.prefix collate "C", store.key collate "C") < (${parameter("afterPrefix")}::text, ${parameter("afterKey")}::text))`,
      )
      .$if(!isEverything, (qb) => qb.where(isInScope("store", parameter)))
      .where(isAlive("store"))
      .select(itemColumns("store"))
      .select(secondsText(sql.ref("store.updated_at")).as("updated_seconds"))
      .orderBy("store.updated_at")
      .orderBy(sql`store.prefix collate "C"`, "desc")
      .orderBy(sql`store.key collate "C"`, "desc")
      .limit(sql<number>`${parameter("limit")}::integer`);
  },
);

/** Reads the time of the server, in seconds since 1970, as text. */
export const serverTime = new Statement<object, { readonly seconds: string }>((db) =>
  db.selectNoFrom(secondsText(CURRENT_TIME).as("seconds")),
);
