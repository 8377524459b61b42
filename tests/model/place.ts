import type { RunnableConfig } from "@langchain/core/runnables";

/** The keys of a config; a missing namespace is the root graph's. */
export interface Place {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id?: string | undefined;
}

/** Reads the keys of a config that a saver uses. */
export function placeOf({ configurable = {} }: RunnableConfig): Place {
  // The steps of this test have made these configs.
  const { thread_id, checkpoint_ns = "", checkpoint_id } = configurable as Partial<Place>;
  if (thread_id === undefined) throw new Error("a config without a thread");
  return { thread_id, checkpoint_ns, checkpoint_id };
}
