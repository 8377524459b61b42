import { type RawBuilder, sql } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import type { CheckpointPlace } from "../api/places.js";

/** The keys of checkpoints, as a statement receives them. */
export interface GivenParams {
  /** The thread of all of them, for statements that name it by this parameter. */
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly namespaces: readonly string[];
  readonly checkpointIds: readonly string[];
}

export function givenParams(threadId: string, places: readonly CheckpointPlace[]): GivenParams {
  return {
    threadId,
    threadIds: places.map((place) => place.threadId),
    namespaces: places.map(({ namespace }) => namespace),
    checkpointIds: places.map(({ checkpointId }) => checkpointId),
  };
}

interface GivenRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  /** The position in the list, from 1, as a bigint. */
  readonly position: string;
}

/** The keys as rows. */
export function givenCheckpoints(parameter: Parameter<GivenParams>) {
  const keys: RawBuilder<GivenRow> = sql`unnest(
    ${parameter("threadIds")}::text[], ${parameter("namespaces")}::text[], ${parameter("checkpointIds")}::text[]
  ) with ordinality`;
  return keys.as<"given">(sql`given(thread_id, checkpoint_ns, checkpoint_id, position)`);
}
