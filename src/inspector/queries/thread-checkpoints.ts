import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { timeInHeader } from "./header-time.js";

/** A checkpoint of a thread, in any of its namespaces. */
interface ThreadCheckpointRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly step: string | null;
  /** The time in the header; `null` when the id contains a time. */
  readonly ts: string | null;
}

interface CheckpointsPart {
  readonly threadId: string;
  /** Only checkpoints with smaller ids. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** Lists the checkpoints of a thread in all namespaces, the newest first. It reads all index entries of the thread. */
export function listCheckpointsOfThread(
  call: CallContext,
  { before, ...part }: CheckpointsPart,
): Promise<ThreadCheckpointRow[]> {
  return runStatement(call, checkpoints.of(before !== undefined), { ...part, before: before ?? "" });
}

interface CheckpointsParams extends Omit<CheckpointsPart, "before"> {
  readonly before: string;
}

const checkpoints = new StatementFamily<boolean, CheckpointsParams, ThreadCheckpointRow>(
  (isNarrowed) => (db, parameter) =>
    db
      .selectFrom((eb) =>
        eb
          .selectFrom("checkpoints as each")
          .where("each.thread_id", "=", parameter("threadId"))
          .$if(isNarrowed, (query) =>
            query.where(sql<string>`each.checkpoint_id collate "C"`, "<", parameter("before")),
          )
          .select(["each.checkpoint_ns", "each.checkpoint_id"])
          .orderBy(sql`each.checkpoint_id collate "C"`, "desc")
          .limit(parameter("limit"))
          .as("own"),
      )
      .innerJoin("checkpoints as head", (join) =>
        join
          .on("head.thread_id", "=", parameter("threadId"))
          .onRef("head.checkpoint_ns", "=", "own.checkpoint_ns")
          .onRef("head.checkpoint_id", "=", "own.checkpoint_id"),
      )
      .select(["own.checkpoint_ns", "own.checkpoint_id"])
      .select((eb) => [
        sql<string | null>`${eb.ref("head.metadata")} ->> 'step'`.as("step"),
        timeInHeader(eb.ref("head.checkpoint_id"), eb.ref("head.checkpoint")).as("ts"),
      ])
      .orderBy(sql`own.checkpoint_id collate "C"`, "desc"),
);
