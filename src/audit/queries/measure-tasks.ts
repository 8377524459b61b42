import { sql, type QueryCreator, type RawBuilder } from "kysely";
import { addedColumns, taskPathIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { idsFrom } from "../../saver/model/checkpoint-time.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { NODE_IN_PATH } from "../../saver/model/keys.js";

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
  return runStatement(call, taskStatements.of(shape), {
    threadId: scope.threadId,
    checkpointNs: scope.checkpointNs ?? "",
    checkpointId: scope.checkpointId ?? "",
  });
}

/** The sizes of a task, where the rows of its writes are grouped. */
function taskSizes(hasTaskPath: boolean) {
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

const taskStatements = new StatementFamily<TaskShape, TaskParams, TaskSizeRow>(
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

/** The tasks to measure. `undefined` is no condition. */
export interface AllTasksScope {
  readonly threadId: string | undefined;
  readonly checkpointNs: string | undefined;
  /** The time of the checkpoints that the tasks started from, as their ids have it. */
  readonly since: Date | undefined;
  /** The most nodes and tasks to list. */
  readonly limit: number;
}

/** The size of a task, or of all tasks of a node. */
export interface MeasuredTaskRow extends TaskSizeRow {
  readonly part: "node" | "task";
  readonly thread_id: string;
  /** `null` where the path of the task names none. */
  readonly node: string | null;
  /** The number of tasks; 1 in the row of a task. */
  readonly tasks: number;
}

/** Measures the writes of tasks by node, and of the largest tasks. It reads each row once, and no values. */
export async function measureAllTasks(call: CallContext, scope: AllTasksScope): Promise<MeasuredTaskRow[]> {
  const { threadId, checkpointNs, since, limit } = scope;
  const shape = {
    inThread: threadId !== undefined,
    inNamespace: checkpointNs !== undefined,
    isSince: since !== undefined,
    hasTaskPath: (await addedColumns(call)).taskPath,
  };
  return runStatement(call, allTaskStatements.of(shape), {
    threadId: threadId ?? "",
    checkpointNs: checkpointNs ?? "",
    from: since === undefined ? "" : idsFrom(since),
    limit,
  });
}

interface TasksShape {
  readonly inThread: boolean;
  readonly inNamespace: boolean;
  readonly isSince: boolean;
  readonly hasTaskPath: boolean;
}

interface TasksParams {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly from: string;
  readonly limit: number;
}

type WithTask = CheckpointDatabase & { task: Omit<MeasuredTaskRow, "part" | "tasks"> };
type WithSizes = WithTask & { node_sizes: Pick<MeasuredTaskRow, "node" | "tasks" | "writes" | "bytes"> };

const allTaskStatements = new StatementFamily<TasksShape, TasksParams, MeasuredTaskRow>(
  ({ inThread, inNamespace, isSince, hasTaskPath }) =>
    (db, parameter) => {
      const tasks = db.with("task", (qb) =>
        qb
          .selectFrom("checkpoint_writes")
          .$if(inThread, (query) => query.where("thread_id", "=", parameter("threadId")))
          .$if(inNamespace, (query) => query.where("checkpoint_ns", "=", parameter("checkpointNs")))
          .$if(isSince, (query) =>
            query
              .where(sql`checkpoint_id collate "C"`, ">=", parameter("from"))
              .where((eb) => isUuid6(eb.ref("checkpoint_id"))),
          )
          .groupBy(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id"])
          .$if(hasTaskPath, (query) => query.groupBy("task_path"))
          .select(["thread_id", "checkpoint_ns", "checkpoint_id", "task_id"])
          .select(taskSizes(hasTaskPath))
          .select(
            sql<string | null>`substring(${taskPathIn("", hasTaskPath)} from ${sql.lit(NODE_IN_PATH)})`.as(
              "node",
            ),
          ),
      );
      return largestNodes(tasks, parameter("limit")).unionAll((qb) => largestTasks(qb, parameter("limit")));
    },
);

function largestNodes(db: QueryCreator<WithTask>, limit: RawBuilder<number>) {
  const none = sql<string>`''::text`;
  return db
    .with("node_sizes", (qb) =>
      qb
        .selectFrom("task")
        .groupBy("node")
        .select([
          "node",
          sql<number>`count(*)::float8`.as("tasks"),
          sql<number>`sum(writes)`.as("writes"),
          sql<number>`sum(bytes)`.as("bytes"),
        ])
        .orderBy(sql`sum(bytes)`, "desc")
        .orderBy(sql`node collate "C"`)
        .limit(limit),
    )
    .selectFrom("node_sizes")
    .select(sql<MeasuredTaskRow["part"]>`'node'`.as("part"))
    .select([none.as("thread_id"), none.as("checkpoint_ns"), none.as("checkpoint_id")])
    .select([none.as("task_id"), none.as("task_path")])
    .select(["node", "tasks", "writes", "bytes"]);
}

function largestTasks(db: Pick<QueryCreator<WithSizes>, "selectFrom">, limit: RawBuilder<number>) {
  const ranked = db
    .selectFrom("task")
    .selectAll()
    .orderBy("bytes", "desc")
    .orderBy(sql`thread_id collate "C"`)
    .orderBy(sql`checkpoint_id collate "C"`)
    .orderBy(sql`task_id collate "C"`)
    .limit(limit);
  return db
    .selectFrom(ranked.as("ranked"))
    .select(sql<MeasuredTaskRow["part"]>`'task'`.as("part"))
    .select(["ranked.thread_id", "ranked.checkpoint_ns", "ranked.checkpoint_id"])
    .select(["ranked.task_id", "ranked.task_path"])
    .select(["ranked.node", sql<number>`1::float8`.as("tasks"), "ranked.writes", "ranked.bytes"]);
}
