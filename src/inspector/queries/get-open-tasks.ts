import { RESUME } from "@langchain/langgraph-checkpoint";
import { sql } from "kysely";
import { addedColumns, taskPathIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { groupBy } from "../../db/group-by.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { RecordedWriteRow } from "../../audit/queries/recorded-writes.js";
import { givenThread } from "../../retention/queries/per-namespace.js";
import { sentBytes } from "../../saver/queries/sent-row.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import type { CheckpointPlace } from "../api/places.js";
import { givenPlaces, type PlacesParams, type PositionRow, readGiven } from "./given-checkpoints.js";
import { literals } from "./literals.js";
import { CONTROL_CHANNELS, OPEN_CHANNELS } from "../values/trigger-channels.js";

/** A write by which a task says that it waits, or why it failed. */
export interface OpenTaskRow extends RecordedWriteRow, PositionRow {}

/** What to read of open tasks. */
interface OpenTasksPart {
  /** The bytes of longer values are left out. */
  readonly maxBytes: number;
  /** Whether the answers to earlier questions of the tasks are read as well. */
  readonly withAnswers?: boolean;
}

/** Reads what the open tasks of checkpoints wait for: those that have an interrupt or an error, and no output. */
export async function getOpenTasks(
  call: CallContext,
  places: readonly CheckpointPlace[],
  { maxBytes, withAnswers = false }: OpenTasksPart,
): Promise<Map<CheckpointPlace, OpenTaskRow[]>> {
  const { taskPath: hasTaskPath } = await addedColumns(call);
  const rows = await readGiven(call, places, (naming, params) =>
    runStatement(call, openTasks.of({ naming, hasTaskPath, withAnswers }), {
      ...params,
      pieceBytes: maxBytes,
    }),
  );
  const byPlace = groupBy(rows, ([place]) => place);
  return new Map([...byPlace].map(([place, each]) => [place, each.map(([, row]) => row)]));
}

interface OpenTasksShape {
  readonly naming: ThreadNaming;
  readonly hasTaskPath: boolean;
  readonly withAnswers: boolean;
}

interface OpenTasksParams extends PlacesParams {
  readonly pieceBytes: number;
}

const openTasks = new StatementFamily<OpenTasksShape, OpenTasksParams, OpenTaskRow>(
  ({ naming, hasTaskPath, withAnswers }) =>
    (db, parameter) => {
      const taskPath = taskPathIn("write.", hasTaskPath);
      const threadId = givenThread(naming, parameter);
      return db
        .selectFrom(givenPlaces(parameter))
        .innerJoin("checkpoint_writes as write", (join) =>
          join
            .on("write.thread_id", "=", threadId)
            .onRef("write.checkpoint_ns", "=", "given.checkpoint_ns")
            .onRef("write.checkpoint_id", "=", "given.checkpoint_id"),
        )
        .where("write.channel", "in", literals(withAnswers ? [...OPEN_CHANNELS, RESUME] : OPEN_CHANNELS))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("checkpoint_writes as output")
                .where("output.thread_id", "=", threadId)
                .whereRef("output.checkpoint_ns", "=", "given.checkpoint_ns")
                .whereRef("output.checkpoint_id", "=", "given.checkpoint_id")
                .whereRef("output.task_id", "=", "write.task_id")
                .where("output.channel", "not in", literals(CONTROL_CHANNELS))
                .select("output.idx"),
            ),
          ),
        )
        .select(sql<number>`given.position::float8`.as("position"))
        .select(["write.checkpoint_id", "write.task_id", taskPath.as("task_path"), "write.idx"])
        .select(["write.channel", "write.type"])
        .select([
          sql<number>`octet_length(write.blob)`.as("bytes"),
          sentBytes("write", parameter("pieceBytes")).as("blob"),
        ])
        .orderBy("given.position")
        .orderBy(sql`${taskPath} collate "C"`)
        .orderBy(sql`write.task_id collate "C"`)
        .orderBy("write.idx");
    },
);
