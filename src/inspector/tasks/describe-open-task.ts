import type { OpenTask } from "../api/tasks.js";
import { cutText } from "../values/cut-text.js";
import { describeValue } from "../values/describe-value.js";
import { errorIn, questionIn, readInterrupts } from "../values/read-interrupts.js";
import type { OpenWrite } from "./read-open-tasks.js";

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
  if (!isQuestion) return errorIn(value) ?? describeValue(value).text;
  const texts = readInterrupts(value).map(
    (asked) => questionIn(asked.value) ?? describeValue(asked.value).text,
  );
  return texts.join("\n\n");
}

function unreadText(bytes: number): string {
  return `${bytes} bytes, which are shown with the writes of the checkpoint`;
}
