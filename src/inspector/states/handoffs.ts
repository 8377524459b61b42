import { ERROR } from "@langchain/langgraph-checkpoint";
import { isObject } from "../../serde/objects/inspect-object.js";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getOpenTasks } from "../queries/get-open-tasks.js";
import { readableWrite } from "../stored-values/readable-values.js";
import { readOwn } from "../values/read-property.js";

/** The error of a handoff has no text, so it is short, also when it is encrypted. */
const MAX_BYTES = 4_096;

/**
 * Whether the error of a task means that the task has handed over. A `Command` for the parent graph leaves a subgraph as this error,
 * which LangGraph.js stores. The root graph has no parent to hand over to.
 */
export function isHandoff(namespace: string, error: unknown): boolean {
  return namespace !== "" && isObject(error) && readOwn(error, "name") === "ParentCommand";
}

/** Finds the tasks that have handed over to the parent graph, among the open tasks of checkpoints. */
export async function readHandoffs<Place extends CheckpointPlace>(
  run: Pick<CallRun, "call" | "context">,
  places: readonly Place[],
): Promise<ReadonlyMap<Place, { readonly taskIds: ReadonlySet<string>; readonly others: number }>> {
  const inner = places.filter(({ namespace }) => namespace !== "");
  if (inner.length === 0) return new Map();
  const rows = await getOpenTasks(run.call, inner, { maxBytes: MAX_BYTES });
  const found = await Promise.all(
    inner.map(async (place) => {
      const errors = (rows.get(place) ?? []).filter(({ channel }) => channel === ERROR);
      const taskIds = new Set<string>();
      for (const row of errors) {
        const read = row.bytes > MAX_BYTES ? undefined : await readableWrite(run, place, row);
        if (isHandoff(place.namespace, read?.value)) taskIds.add(row.task_id);
      }
      return [place, { taskIds, others: errors.length - taskIds.size }] as const;
    }),
  );
  return new Map(found);
}
