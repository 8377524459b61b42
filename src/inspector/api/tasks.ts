/** A task that waits for a person, or has failed. */
export interface OpenTask {
  readonly taskId: string;
  /** The node, if the path of the task names it. */
  readonly node?: string;
  readonly kind: "question" | "error";
  /** What it asks, or why it failed, as a person reads it. */
  readonly text: string;
  readonly isCut: boolean;
}
