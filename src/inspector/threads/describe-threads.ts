import type { ThreadRow, ThreadStatus } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ThreadPageRow } from "../queries/thread-pages.js";
import { storedTimeOf } from "../states/point-of.js";
import { factsIn } from "./metadata-facts.js";
import { readStates } from "../states/read-states.js";
import { describeOpenTask, type OpenWrite, readOpenTasks } from "../states/open-tasks.js";

/** The most characters of a question or an error in a list. */
const MAX_TEXT = 300;

/** A thread of a list before its state is known. */
export type ListedThread = Omit<ThreadRow, "status" | "next" | "open">;

/** A thread of a list before it is known what it asks. */
export type ThreadInState = Omit<ThreadRow, "open">;

export function listedThread(
  row: Omit<ThreadPageRow, "place" | "facts">,
  metadata: ListedThread["metadata"],
): ListedThread {
  return {
    threadId: row.thread_id,
    namespace: row.checkpoint_ns,
    checkpointId: row.checkpoint_id,
    updatedAt: storedTimeOf(row.checkpoint_id, row.ts),
    checkpoints: row.checkpoints,
    namespaces: row.namespaces,
    metadata,
  };
}

/** A thread of a page. */
export function pagedThread(row: ThreadPageRow): ListedThread {
  return listedThread(row, factsIn(row.facts));
}

/** Finds out what threads wait for. */
export async function withStates(run: CallRun, threads: readonly ListedThread[]): Promise<ThreadInState[]> {
  const states = await readStates(run, threads);
  return threads.map((thread, index) => ({ ...thread, ...(states[index] ?? { status: "done", next: [] }) }));
}

/** Adds the first question of threads that wait, and the first error of those that have failed. */
export async function withOpenTasks(run: CallRun, threads: readonly ThreadInState[]): Promise<ThreadRow[]> {
  const tasks = await readOpenTasks(
    run,
    threads.filter(({ status }) => isOpen(status)),
  );
  return threads.map((thread) => withFirstTask(thread, tasks.get(thread) ?? []));
}

/** Whether threads in a state have a task that waits or has failed. */
export function isOpen(state: ThreadStatus | undefined): state is "interrupted" | "failed" {
  return state === "interrupted" || state === "failed";
}

/** Adds what a thread asks, or why it failed. */
export function withFirstTask(thread: ThreadInState, tasks: readonly OpenWrite[]): ThreadRow {
  // A failed thread may also wait.
  const first = tasks.find(({ isQuestion }) => isQuestion === (thread.status === "interrupted"));
  return first === undefined ? thread : { ...thread, open: describeOpenTask(first, MAX_TEXT) };
}
