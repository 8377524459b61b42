import { type Expression, type ExpressionBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { runStatement } from "../../db/run-statement.js";
import { type Parameter, Statement } from "../../db/statement.js";
import type { CheckpointKey } from "../checkpoint-key.js";
import { selectTupleRows } from "./select-tuple-rows.js";
import type { TupleRow } from "./tuple-row.js";

/** Which checkpoints a list is about; what is `undefined` does not narrow it. */
export interface ListScope {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly checkpointId?: string | undefined;
  /** Only checkpoints with a smaller id. */
  readonly before?: string | undefined;
  /** JSON text that the metadata contains. */
  readonly filter?: string | undefined;
}

/**
 * One page of a list, newest first, in one statement: everything that its tuples are made of.
 *
 * @param after - The last checkpoint of the page before; the page begins right behind it.
 * @param pageSize - The number of checkpoints at most.
 */
export function listTupleRows(
  tables: CheckpointTables,
  scope: ListScope,
  after: CheckpointKey | undefined,
  pageSize: number,
): Promise<TupleRow[]> {
  const narrowed = CONDITIONS.filter((name) => scope[name] !== undefined);
  return runStatement(tables, statementFor(narrowed, after !== undefined), {
    threadId: scope.threadId ?? "",
    checkpointNs: scope.checkpointNs ?? "",
    checkpointId: scope.checkpointId ?? "",
    before: scope.before ?? "",
    filter: scope.filter ?? "",
    afterThreadId: after?.threadId ?? "",
    afterCheckpointNs: after?.checkpointNs ?? "",
    afterCheckpointId: after?.checkpointId ?? "",
    pageSize,
  });
}

interface ListParams extends Required<{ [Name in keyof ListScope]: string }> {
  readonly afterThreadId: string;
  readonly afterCheckpointNs: string;
  readonly afterCheckpointId: string;
  readonly pageSize: number;
}

type Condition = keyof ListScope;
const CONDITIONS = [
  "threadId",
  "checkpointNs",
  "checkpointId",
  "before",
  "filter",
] as const satisfies Condition[];

type Builder = ExpressionBuilder<CheckpointDatabase, "checkpoints">;
type Predicate = Expression<SqlBool>;

// One statement for each combination that is used, so that each is planned for the conditions that it really has.
const statements = /* @__PURE__ */ new Map<string, Statement<ListParams, TupleRow>>();

function statementFor(narrowed: readonly Condition[], continued: boolean): Statement<ListParams, TupleRow> {
  const shape = [...narrowed, continued].join();
  const known = statements.get(shape);
  if (known !== undefined) return known;
  const statement = buildStatement(narrowed, continued);
  statements.set(shape, statement);
  return statement;
}

function buildStatement(narrowed: readonly Condition[], continued: boolean): Statement<ListParams, TupleRow> {
  return new Statement((db, parameter) =>
    selectTupleRows(
      db.with("page", (qb) =>
        qb
          .selectFrom("checkpoints")
          .selectAll()
          .where((eb) => eb.and(narrowed.map((name) => predicate(eb, name, parameter))))
          .$if(continued, (query) => query.where((eb) => isBehind(eb, parameter)))
          .orderBy(sql`checkpoint_id collate "C"`, "desc")
          .orderBy(sql`thread_id collate "C"`, "desc")
          .orderBy(sql`checkpoint_ns collate "C"`, "desc")
          .limit(parameter("pageSize")),
      ),
      narrowed.includes("threadId") ? parameter("threadId") : undefined,
    ),
  );
}

function predicate(eb: Builder, name: Condition, parameter: Parameter<ListParams>): Predicate {
  switch (name) {
    case "threadId":
      return eb("thread_id", "=", parameter("threadId"));
    case "checkpointNs":
      return eb("checkpoint_ns", "=", parameter("checkpointNs"));
    case "checkpointId":
      return eb("checkpoint_id", "=", parameter("checkpointId"));
    case "before":
      return eb(sql<string>`checkpoint_id collate "C"`, "<", parameter("before"));
    case "filter":
      return sql<SqlBool>`${eb.ref("metadata")} @> ${parameter("filter")}::jsonb`;
  }
}

function isBehind(eb: Builder, parameter: Parameter<ListParams>): Predicate {
  return eb(
    sql`(checkpoint_id collate "C", thread_id collate "C", checkpoint_ns collate "C")`,
    "<",
    sql`(${parameter("afterCheckpointId")}, ${parameter("afterThreadId")}, ${parameter("afterCheckpointNs")})`,
  );
}
