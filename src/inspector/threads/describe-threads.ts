import type { ThreadRow, ThreadStatus } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import type { ThreadPageRow } from "../queries/thread-pages.js";
import { storedTimeOf } from "../states/point-of.js";
import { factsIn, factsOfMetadata } from "./metadata-facts.js";
import { conversationsOf } from "../queries/conversations.js";
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

/** Adds what conversations say about their threads. */
export async function withConversations<Thread extends Pick<ThreadRow, "threadId">>(
  { call }: CallRun,
  threads: readonly Thread[],
): Promise<readonly (Thread & Pick<ThreadRow, "conversation">)[]> {
  if (threads.length === 0) return threads;
  const rows = await conversationsOf(
    call,
    threads.map(({ threadId }) => threadId),
  );
  const byThread = new Map(rows.map((row) => [row.thread_id, factsOfMetadata(row.metadata)]));
  return threads.map((thread) => {
    const conversation = byThread.get(thread.threadId);
    return conversation === undefined ? thread : { ...thread, conversation };
  });
}

/** Finds out what threads are about and what they wait for. */
export async function withStates(run: CallRun, listed: readonly ListedThread[]): Promise<ThreadInState[]> {
  const [threads, states] = await Promise.all([withConversations(run, listed), readStates(run, listed)]);
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
