import { sql } from "kysely";
import { addedColumns, taskPathIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";

/** The tasks to measure. `undefined` is no condition. */
export interface TaskScope {
  readonly threadId: string;
  readonly checkpointNs: string | undefined;
  readonly checkpointId: string | undefined;
}

/** The number and the size of a task's writes. */
export interface TaskSizeRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly task_path: string;
  readonly writes: number;
  readonly bytes: number;
}

/** Counts and measures the writes of a thread's tasks. Postgres knows the length of a value without reading it. */
export async function measureTasks(call: CallContext, scope: TaskScope): Promise<TaskSizeRow[]> {
  const shape = {
    inNamespace: scope.checkpointNs !== undefined,
    inCheckpoint: scope.checkpointId !== undefined,
    hasTaskPath: (await addedColumns(call)).taskPath,
  };
  return runStatement(call, statements.of(shape), {
    threadId: scope.threadId,
    checkpointNs: scope.checkpointNs ?? "",
    checkpointId: scope.checkpointId ?? "",
  });
}

/** The sizes of a task, where the rows of its writes are grouped. */
export function taskSizes(hasTaskPath: boolean) {
  return [
    taskPathIn("", hasTaskPath).as("task_path"),
    sql<number>`count(*)::float8`.as("writes"),
    sql<number>`sum(octet_length(blob))::float8`.as("bytes"),
  ] as const;
}

interface TaskShape {
  readonly inNamespace: boolean;
  readonly inCheckpoint: boolean;
  readonly hasTaskPath: boolean;
}

interface TaskParams {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

const statements = /* @__PURE__ */ new StatementFamily<TaskShape, TaskParams, TaskSizeRow>(
  ({ inNamespace, inCheckpoint, hasTaskPath }) =>
    (db, parameter) =>
      db
        .selectFrom("checkpoint_writes")
        .where("thread_id", "=", parameter("threadId"))
        .$if(inNamespace, (query) => query.where("checkpoint_ns", "=", parameter("checkpointNs")))
        .$if(inCheckpoint, (query) => query.where("checkpoint_id", "=", parameter("checkpointId")))
        .groupBy(["checkpoint_ns", "checkpoint_id", "task_id"])
        .$if(hasTaskPath, (query) => query.groupBy("task_path"))
        .select(["checkpoint_ns", "checkpoint_id", "task_id"])
        .select(taskSizes(hasTaskPath))
        .orderBy(sql`checkpoint_id collate "C"`)
        .orderBy(sql`checkpoint_ns collate "C"`)
        .orderBy(sql`${taskPathIn("", hasTaskPath)} collate "C"`)
        .orderBy(sql`task_id collate "C"`),
);
