import { createHash } from "node:crypto";
import { RESUME } from "@langchain/langgraph-checkpoint";
import type { CheckpointPlace } from "../api/places.js";
import type { OpenThread, Question, ThreadGraphs } from "../api/runs.js";
import type { CallRun } from "../calls/call-definition.js";
import { getHistoryPoints } from "../queries/get-history-points.js";
import { getOpenTasks, type OpenTaskRow } from "../queries/get-open-tasks.js";
import { readStates } from "../states/read-states.js";
import { describeOpenTask, MAX_BYTES, type OpenWrite, readOpenWrite } from "../states/open-tasks.js";
import { TextRoom } from "../values/cut-text.js";
import { describeQuestion } from "../values/describe-question.js";
import { formOf, readInterrupts, type ReadInterrupt } from "../values/question-form.js";
import { MAX_ANSWERS } from "../calls/args.js";
import { bindGraphs, graphsView } from "./thread-graphs.js";
import { withToolSchemas } from "./tool-schemas.js";

/** The most characters of an error. */
const MAX_TEXT = 20_000;

/** A question with what is stored of it. */
export interface AskedQuestion extends Question {
  readonly interrupt: ReadInterrupt;
}

/** What a thread waits for, with what is stored of it. */
interface ReadOpenThread extends Omit<OpenThread, "questions" | keyof ThreadGraphs> {
  readonly questions: readonly AskedQuestion[];
}

/** Reads what a person can do for a thread. */
export async function viewOpenThread(run: CallRun, threadId: string): Promise<OpenThread> {
  const { questions, ...thread } = await readOpenThread(run, threadId);
  const { checkpointId } = thread;
  const bound =
    checkpointId === undefined
      ? { candidates: [], reason: "The thread has no checkpoint of a root graph." }
      : await bindGraphs(run, { threadId, checkpointId });
  const { graph } = bound.bound ?? {};
  return {
    ...thread,
    questions: await Promise.all(
      questions.map(async ({ interrupt: _interrupt, ...question }) => ({
        ...question,
        form: graph === undefined ? question.form : await withToolSchemas(question.form, graph),
      })),
    ),
    ...graphsView(bound),
  };
}

/** Reads what the newest checkpoint of a thread's root graph waits for. */
export async function readOpenThread(run: CallRun, threadId: string): Promise<ReadOpenThread> {
  const [newest] = await getHistoryPoints(run.call, { threadId, namespace: "", before: undefined, limit: 1 });
  if (newest === undefined) return { status: "done", next: [], questions: [], errors: [] };
  const place = { threadId, namespace: "", checkpointId: newest.checkpoint_id };
  const [[state], rows] = await Promise.all([
    readStates(run, [place]),
    getOpenTasks(run.call, [place], { maxBytes: MAX_BYTES, withAnswers: true }),
  ]);
  const writes = rows.get(place) ?? [];
  const answers = writes.filter(({ channel }) => channel === RESUME);
  const room = new TextRoom();
  const open = await Promise.all(
    writes.filter(({ channel }) => channel !== RESUME).map((row) => readOpenWrite(run, place, row)),
  );
  return {
    checkpointId: place.checkpointId,
    ...(state ?? { status: "done", next: [] }),
    questions: open
      .filter(({ isQuestion }) => isQuestion)
      .flatMap((write) => questionsOf(place, write, { answers, room })),
    errors: open.filter(({ isQuestion }) => !isQuestion).map((write) => describeOpenTask(write, MAX_TEXT)),
  };
}

function questionsOf(
  place: CheckpointPlace,
  { row, node, read }: OpenWrite,
  { answers, room }: { readonly answers: readonly OpenTaskRow[]; readonly room: TextRoom },
): AskedQuestion[] {
  // One that this saver can't read can't be answered here.
  if (read === undefined) return [];
  const ofTask = answers.filter(({ task_id: taskId }) => taskId === row.task_id);
  const asked = digestOf(place, [row, ...ofTask]);
  const interrupts = readInterrupts(read.value).slice(0, MAX_ANSWERS);
  const write = { taskId: row.task_id, idx: row.idx };
  return interrupts.map((interrupt, index) => ({
    ...describeQuestion(interrupt, write, room),
    ...(node !== undefined && { node }),
    key: `${asked}.${index}`,
    form: formOf(interrupt),
    place: { kind: "write", ...place, taskId: row.task_id, idx: row.idx },
    interrupt,
  }));
}

/** A task that asks again may ask the same, with the same id. But then there is another answer, to the question before. */
function digestOf({ checkpointId }: CheckpointPlace, rows: readonly OpenTaskRow[]): string {
  const parts = rows.map(({ task_id, idx, type, blob }) => [task_id, idx, type, blob]);
  return createHash("sha256")
    .update(JSON.stringify([checkpointId, parts]))
    .digest("base64url");
}
