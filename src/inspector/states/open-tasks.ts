import { readableWrite } from "../stored-values/readable-values.js";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import type { CheckpointPlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { getOpenTasks, type OpenTaskRow } from "../queries/get-open-tasks.js";
import { nodeOfPath } from "../../saver/model/keys.js";
import type { OpenTask } from "../api/threads.js";
import { cutText } from "../values/cut-text.js";
import { valueNodeOf } from "../values/describe-value.js";
import { errorIn, questionIn, readInterrupts } from "../values/question-form.js";

/** Longer values are not read before somebody opens them. */
export const MAX_BYTES = 262_144;

/** What a task wrote of why it is open. */
export interface OpenWrite {
  readonly row: OpenTaskRow;
  readonly node: string | undefined;
  readonly isQuestion: boolean;
  /** Absent where it is too long, or can't be read by this saver. */
  readonly read?: { readonly value: unknown };
}

/** Reads the interrupts and the errors of the open tasks of checkpoints, in one statement. */
export async function readOpenTasks(
  run: Pick<CallRun, "call" | "context">,
  places: readonly CheckpointPlace[],
): Promise<ReadonlyMap<CheckpointPlace, readonly OpenWrite[]>> {
  const rows = await getOpenTasks(run.call, places, { maxBytes: MAX_BYTES });
  const entries = [...rows].map(async ([place, each]) => {
    const writes = await Promise.all(each.map((row) => readOpenWrite(run, place, row)));
    return [place, writes] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Reads the value of an interrupt or an error. */
export async function readOpenWrite(
  run: Pick<CallRun, "call" | "context">,
  place: CheckpointPlace,
  row: OpenTaskRow,
): Promise<OpenWrite> {
  const write = { row, node: nodeOfPath(row.task_path), isQuestion: row.channel === INTERRUPT };
  const read = row.bytes > MAX_BYTES ? undefined : await readableWrite(run, place, row);
  return { ...write, ...(read && { read }) };
}

/** Describes why a task is open. The questions of a task that asks several are one text. */
export function describeOpenTask({ row, node, isQuestion, read }: OpenWrite, maxText: number): OpenTask {
  const text = read === undefined ? unreadText(row.bytes) : textOf(read.value, isQuestion);
  return {
    taskId: row.task_id,
    ...(node !== undefined && { node }),
    kind: isQuestion ? "question" : "error",
    ...cutText(text, maxText),
  };
}

function textOf(value: unknown, isQuestion: boolean): string {
  if (!isQuestion) return errorIn(value) ?? valueNodeOf(value).text;
  const texts = readInterrupts(value).map(
    (asked) => questionIn(asked.value) ?? valueNodeOf(asked.value).text,
  );
  return texts.join("\n\n");
}

function unreadText(bytes: number): string {
  return `${bytes} bytes, which are shown with the writes of the checkpoint`;
}
