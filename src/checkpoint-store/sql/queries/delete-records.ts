import { sql, type SqlBool } from "kysely";
import type { StatementBuilder } from "../../../db/statements/statement.js";
import type { RecordScope } from "../../model/stored-record.js";
import type { RecordDialect } from "../record-dialect.js";
import type { IdParams, ListParams } from "./read-records.js";
import { scopeColumn } from "./scope-column.js";

/** A deleted record. */
export interface DeletedRow {
  readonly deleted: number;
}

export interface TrimParams {
  readonly scope: string;
  /** The id of the record that is never deleted. */
  readonly saved: string;
  readonly keep: number;
}

export const deleteRecord: StatementBuilder<IdParams, DeletedRow> = (db, parameter) =>
  db.deleteFrom("checkpoint_store").where("id", "=", parameter("id")).returning(sql.lit(1).as("deleted"));

export function clearRecords(by: RecordScope["by"]): StatementBuilder<Pick<ListParams, "scope">, DeletedRow> {
  return (db, parameter) =>
    db
      .deleteFrom("checkpoint_store")
      .where(scopeColumn(by), "=", parameter("scope"))
      .returning(sql.lit(1).as("deleted"));
}

/**
 * Deletes all but the newest records of a scope, and never the saved one.
 *
 * It compares with the newest of them instead of their ids, so that Postgres looks again at a record that another transaction changes
 * meanwhile: it may have become newer, or belong to another scope.
 */
export function trimRecords(
  { zoned, bytesOf }: RecordDialect,
  by: RecordScope["by"],
): StatementBuilder<TrimParams, DeletedRow> {
  return (db, parameter) =>
    db
      .deleteFrom("checkpoint_store")
      .where(scopeColumn(by), "=", parameter("scope"))
      .where("id", "<>", parameter("saved"))
      .where((eb) => {
        const time = zoned?.instantOf(eb.ref("timestamp")) ?? eb.ref("timestamp");
        const id = bytesOf(eb.ref("checkpoint_store.id"));
        const newestOfRest = eb
          .selectFrom("checkpoint_store")
          .where(scopeColumn(by), "=", parameter("scope"))
          .select([sql`${time}`.as("time"), "version", sql`${id}`.as("id")])
          .orderBy(sql`${time}`, "desc")
          .orderBy("version", "desc")
          .orderBy(id, "desc")
          .limit(sql.lit(1))
          .offset(parameter("keep"));
        return sql<SqlBool>`(${time}, ${eb.ref("version")}, ${id}) <= ${newestOfRest}`;
      })
      .returning(sql.lit(1).as("deleted"));
}
