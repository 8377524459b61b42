import { sql, type SqlBool } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { numberText } from "../../db/number-text.js";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { type BackupRow, exactTime } from "./backup-row.js";
import type { ItemKey } from "./item-keys.js";
import { isInScope, type ScopeParams, scopeParams } from "./item-scope.js";

/** Which items a page holds. */
export interface BackupPage {
  /** The scope: a namespace with those below it, or everything if it is empty. */
  readonly prefix: string;
  /** The last item before the page. */
  readonly after: ItemKey;
  /** `rest`: what remains of that item's namespace. `following`: the namespaces behind it. */
  readonly part: "rest" | "following";
  readonly rows: number;
  /** The page ends once its values take so many bytes, as they are stored. */
  readonly bytes: number;
}

interface PageParams extends ScopeParams {
  readonly afterPrefix: string;
  readonly afterKey: string;
  readonly rows: number;
  readonly bytes: number;
}

interface Shape {
  readonly isEverything: boolean;
  readonly part: BackupPage["part"];
}

/** A {@link BackupRow} as it is read: numbers are text. */
export interface BackupText extends Omit<BackupRow, "ttl_minutes" | "version"> {
  readonly ttl_minutes: string | null;
  readonly version: string;
}

/**
 * Reads a page of the items of a scope, in the order of prefix and key. Expired ones are left out.
 *
 * The rest of a namespace is read in the order of the primary key, and the following namespaces in that of the index of prefixes. No single
 * order serves both, where the collation of the database is not "C": the namespaces of a scope follow each other only byte by byte.
 */
export function getBackupPage(schema: string, page: BackupPage): BoundStatement<BackupText> {
  const { prefix, after, part, rows, bytes } = page;
  return statements.of({ isEverything: prefix === "", part }).bind(schema, {
    ...scopeParams(prefix),
    afterPrefix: after.prefix,
    afterKey: after.key,
    rows,
    bytes,
  });
}

const IN_ORDER = /* @__PURE__ */ sql`prefix using ~<~, key`;

const statements = /* @__PURE__ */ new StatementFamily<Shape, PageParams, BackupText>(
  ({ isEverything, part }) =>
    (db, parameter) => {
      const alive = db.selectFrom("store").where(isAlive("store")).selectAll();
      const page =
        part === "rest"
          ? alive
              .where("prefix", "=", parameter("afterPrefix"))
              .where("key", ">", parameter("afterKey"))
              .orderBy("key")
          : alive
              .where(sql<SqlBool>`prefix ~>~ ${parameter("afterPrefix")}`)
              .$if(!isEverything, (qb) =>
                // One range of the index, so that it is walked in order. Without it, each page would sort the whole rest of the scope.
                qb
                  .where(
                    sql<SqlBool>`prefix ~>=~ ${parameter("prefix")} and prefix ~<~ ${parameter("beyond")}`,
                  )
                  .where(isInScope("store", parameter)),
              )
              .orderBy(IN_ORDER);
      const sized = db
        .selectFrom(page.limit(parameter("rows")).as("page"))
        .selectAll()
        .select(
          // The size of the stored value, which Postgres knows without reading the value.
          sql<number>`sum(pg_column_size(value)) over (order by ${IN_ORDER} rows unbounded preceding) - pg_column_size(value)`.as(
            "bytes_before",
          ),
        );
      return (
        db
          .selectFrom(sized.as("sized"))
          // The first item is read, however large it is.
          .where(sql<SqlBool>`bytes_before < ${parameter("bytes")}::float8`)
          .select((eb) => [
            "prefix",
            "key",
            sql<string>`value::text`.as("value"),
            exactTime(eb.ref("created_at")).as("created_at"),
            exactTime(eb.ref("updated_at")).as("updated_at"),
            exactTime(eb.ref("expires_at")).as("expires_at"),
            numberText<string | null>(sql.ref("ttl_minutes")).as("ttl_minutes"),
            sql<string>`version::text`.as("version"),
          ])
          .orderBy(IN_ORDER)
      );
    },
);
