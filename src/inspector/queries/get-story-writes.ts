import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { RecordedWriteRow } from "../../audit/queries/recorded-writes.js";
import { type AddedColumns, addedColumns, taskPathIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointPlace } from "../api/places.js";
import { givenPlaces, type PlacesParams, placesParams } from "./given-checkpoints.js";

/** A write beside one of several checkpoints. */
export interface StoryWriteRow extends RecordedWriteRow {
  /** Whether the value was read. */
  readonly is_read: boolean;
}

/** How much to read of the writes. */
interface StoryWritesPart {
  readonly maxWritesOfEach: number;
  /** Longer values are not read. */
  readonly maxBytes: number;
  /** When the values that were read have as many bytes, others are not. */
  readonly maxBytesInAll: number;
}

/**
 * Reads the writes beside checkpoints of one namespace, in the order of the checkpoints, task paths, tasks and positions. It leaves out the
 * values of those that only start nodes.
 */
export async function getStoryWrites(
  call: CallContext,
  places: readonly CheckpointPlace[],
  part: StoryWritesPart,
): Promise<StoryWriteRow[]> {
  const [first] = places;
  if (first === undefined) return [];
  const { taskPath } = await addedColumns(call);
  return runStatement(call, writes.of({ taskPath }), { ...placesParams(first.threadId, places), ...part });
}

const writes = new StatementFamily<
  Pick<AddedColumns, "taskPath">,
  PlacesParams & StoryWritesPart,
  StoryWriteRow
>(({ taskPath: hasTaskPath }) => (db, parameter) => {
  const taskPath = taskPathIn("write.", hasTaskPath);
  const readable = sql<number>`case when ${isWanted} and octet_length(each.blob) <= ${parameter("maxBytes")}::integer
    then octet_length(each.blob) end`;
  return db
    .with("each", (qb) =>
      qb
        .selectFrom(givenPlaces(parameter))
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_writes as write")
              .where("write.thread_id", "=", parameter("threadId"))
              .whereRef("write.checkpoint_ns", "=", "given.checkpoint_ns")
              .whereRef("write.checkpoint_id", "=", "given.checkpoint_id")
              .select(["write.checkpoint_id", "write.task_id", taskPath.as("task_path"), "write.idx"])
              .select(["write.channel", "write.type", "write.blob"])
              .orderBy(sql`${taskPath} collate "C"`)
              .orderBy(sql`write.task_id collate "C"`)
              .orderBy("write.idx")
              .limit(parameter("maxWritesOfEach"))
              .as("own"),
          (join) => join.onTrue(),
        )
        .selectAll("own")
        .select("given.position"),
    )
    .with("measured", (qb) =>
      qb
        .selectFrom("each")
        .selectAll()
        .select(readable.as("readable_bytes"))
        .select(
          sql<number>`sum(${readable}) over (order by each.position, each.task_path collate "C",
            each.task_id collate "C", each.idx rows unbounded preceding)`.as("bytes_so_far"),
        ),
    )
    .with("chosen", (qb) =>
      qb
        .selectFrom("measured")
        .selectAll()
        .select(
          sql<boolean>`measured.readable_bytes is not null
            and measured.bytes_so_far <= ${parameter("maxBytesInAll")}::integer`.as("is_read"),
        ),
    )
    .selectFrom("chosen")
    .select(["chosen.checkpoint_id", "chosen.task_id", "chosen.task_path", "chosen.idx"])
    .select(["chosen.channel", "chosen.type", "chosen.is_read"])
    .select([
      sql<number>`coalesce(octet_length(chosen.blob), 0)`.as("bytes"),
      sql<string | null>`case when chosen.is_read then encode(chosen.blob, 'base64') end`.as("blob"),
    ])
    .orderBy("chosen.position")
    .orderBy(sql`chosen.task_path collate "C"`)
    .orderBy(sql`chosen.task_id collate "C"`)
    .orderBy("chosen.idx");
});

/** What tells something about a step: errors, questions, answers, and what is not there only for the engine. */
const isWanted: RawBuilder<SqlBool> = sql<SqlBool>`(each.channel in ('__error__', '__interrupt__', '__resume__', '__root__')
  or each.channel !~ '^(__|branch:|join:)')`;
