/**
 * What a request wants to do:
 *
 * - `read`: see what is stored, and load the page.
 * - `answer`: answer a question of a thread, by what the question allows. The graph goes on.
 * - `continue`: repeat what failed, or let a run go on that was stopped.
 * - `replay`: run a graph again from any checkpoint. What its nodes do outside, such as paying, they do again.
 * - `update`: edit a state as a node of the graph would, by its reducers and edges, and see what that would store.
 * - `fork`: start a branch with edited values.
 * - `edit`: roll back, copy threads, and create and edit items.
 * - `delete`: delete threads, checkpoints, items and what is cached.
 */
export type InspectorAction =
  | "read"
  | "answer"
  | "continue"
  | "replay"
  | "update"
  | "fork"
  | "edit"
  | "delete";

/** What a person may do besides reading. */
export type PageAction = Exclude<InspectorAction, "read">;

/** All of it, in the order in which the page names it. */
export const PAGE_ACTIONS: readonly PageAction[] = [
  "answer",
  "continue",
  "replay",
  "update",
  "fork",
  "edit",
  "delete",
];
