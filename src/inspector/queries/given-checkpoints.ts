import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Parameter, Statement } from "../../db/statements/statement.js";
import { threadGroups, type ThreadNaming } from "../../saver/queries/thread-groups.js";
import type { CheckpointPlace } from "../api/places.js";
import { runUncompiled } from "../../db/statements/run-uncompiled.js";

/** The keys of checkpoints, as a statement receives them. */
export interface PlacesParams {
  /** The thread of all of them, for statements that name it by this parameter. */
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly namespaces: readonly string[];
  readonly checkpointIds: readonly string[];
}

export function placesParams(threadId: string, places: readonly CheckpointPlace[]): PlacesParams {
  return {
    threadId,
    threadIds: places.map((place) => place.threadId),
    namespaces: places.map(({ namespace }) => namespace),
    checkpointIds: places.map(({ checkpointId }) => checkpointId),
  };
}

/** A row about one of the given checkpoints. */
export interface PositionRow {
  /** The position of the checkpoint in the parameters, from 1. */
  readonly position: number;
}

/**
 * Reads rows about checkpoints, and returns each with its checkpoint: in one statement, or in one for each thread where statements name
 * their thread (N1).
 *
 * @param read - Sends the statement.
 */
export async function readGiven<Row extends PositionRow>(
  call: CallContext,
  places: readonly CheckpointPlace[],
  read: (naming: ThreadNaming, params: PlacesParams) => Promise<Row[]>,
): Promise<(readonly [CheckpointPlace, Row])[]> {
  const found: (readonly [CheckpointPlace, Row])[] = [];
  for (const { naming, threadId, items } of await threadGroups(call, places, (place) => place.threadId)) {
    for (const row of await read(naming, placesParams(threadId, items))) {
      const place = items[row.position - 1];
      if (place !== undefined) found.push([place, row]);
    }
  }
  return found;
}

/**
 * Sends a statement about checkpoints. Where they are of several threads, Postgres must not compile it: the cost that it estimates grows
 * with their number.
 */
export function runGiven<Params extends PlacesParams, Row>(
  call: CallContext,
  naming: ThreadNaming,
  statement: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  return (naming === "row" ? runUncompiled : runStatement)(call, statement, params);
}

interface GivenRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  /** The position in the list, from 1, as a bigint. */
  readonly position: string;
}

/** The keys as rows. */
export function givenPlaces(parameter: Parameter<PlacesParams>) {
  const keys: RawBuilder<GivenRow> = sql`unnest(
    ${parameter("threadIds")}::text[], ${parameter("namespaces")}::text[], ${parameter("checkpointIds")}::text[]
  ) with ordinality`;
  return keys.as<"given">(sql`given(thread_id, checkpoint_ns, checkpoint_id, position)`);
}
