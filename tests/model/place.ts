import type { RunnableConfig } from "@langchain/core/runnables";

/** Where a config points to, with the namespace that a missing one means. */
export interface Place {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id?: string | undefined;
}

/** The keys of a config that a saver goes by. */
export function placeOf({ configurable = {} }: RunnableConfig): Place {
  // What the commands of this test made themselves.
  const { thread_id, checkpoint_ns = "", checkpoint_id } = configurable as Partial<Place>;
  if (thread_id === undefined) throw new Error("a config without a thread");
  return { thread_id, checkpoint_ns, checkpoint_id };
}
