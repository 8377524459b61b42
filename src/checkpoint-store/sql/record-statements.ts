import { Statement, type StatementBuilder, StatementFamily } from "../../db/statements/statement.js";
import { clearRecords, deleteRecord, trimRecords } from "./queries/delete-records.js";
import { countRecords, listRecords, loadRecord, loadVersion, readPage } from "./queries/read-records.js";
import { saveRecord } from "./queries/save-record.js";
import type { RecordDialect } from "./record-dialect.js";
import { RenameTable } from "./rename-table.js";

/** The statements of a checkpoint store. */
export type RecordStatements = ReturnType<typeof recordStatements>;

/**
 * Returns the statements of a checkpoint store on one kind of database and one table. Each is compiled once, when a call first needs it.
 *
 * @param table - Any name. It is quoted.
 */
export function recordStatements(dialect: RecordDialect, table: string) {
  const renaming = new RenameTable(table);
  const onTable =
    <Params, Row>(build: StatementBuilder<Params, Row>): StatementBuilder<Params, Row> =>
    (db, parameter) =>
      build(db.withPlugin(renaming), parameter);
  const one = <Params extends object, Row>(build: StatementBuilder<Params, Row>): Statement<Params, Row> =>
    new Statement(onTable(build), dialect.statements);
  const each = <Shape, Params extends object, Row>(
    builderOf: (shape: Shape) => StatementBuilder<Params, Row>,
  ): StatementFamily<Shape, Params, Row> =>
    new StatementFamily((shape: Shape) => onTable(builderOf(shape)), dialect.statements);
  return {
    save: each((onlyNewer: boolean) => saveRecord(dialect, onlyNewer)),
    load: one(loadRecord(dialect)),
    version: one(loadVersion),
    list: each((shape: Parameters<typeof listRecords>[1]) => listRecords(dialect, shape)),
    delete: one(deleteRecord),
    clear: each(clearRecords),
    trim: each((by: Parameters<typeof trimRecords>[1]) => trimRecords(dialect, by)),
    count: one(countRecords),
    page: each((shape: Parameters<typeof readPage>[1]) => readPage(dialect, shape)),
  };
}
