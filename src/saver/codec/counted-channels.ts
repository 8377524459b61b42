/**
 * The key of the metadata in which LangGraph counts the changes of its delta channels. Updates of the state lack it.
 */
export const COUNTERS = "counters_since_delta_snapshot";

/** Returns the delta channels that LangGraph counts in the metadata of a checkpoint. */
export function countedChannels({ metadata }: { readonly metadata: object }): ReadonlyMap<string, unknown> {
  const counters: unknown = Reflect.get(metadata, COUNTERS);
  const isRecord = typeof counters === "object" && counters !== null && !Array.isArray(counters);
  return new Map(isRecord ? Object.entries(counters) : []);
}
