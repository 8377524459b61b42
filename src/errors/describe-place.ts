import type { ErrorLocation } from "./checkpoint-error.js";

/** The place of a stored row. */
export interface RowPlace extends ErrorLocation {
  readonly taskId?: string | undefined;
  /** The position of a write among those of its task. */
  readonly idx?: number | undefined;
}

/** Names a row for people: `thread "42", checkpoint "1f1…", channel "messages"`. The root graph's namespace is left out. */
export function describePlace(place: RowPlace): string {
  const { threadId, checkpointNs, checkpointId, channel, version, taskId, idx } = place;
  const parts = [
    ["thread", threadId],
    ["namespace", checkpointNs === "" ? undefined : checkpointNs],
    ["checkpoint", checkpointId],
    ["channel", channel],
    ["version", version],
    ["task", taskId],
  ] as const;
  const named = parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name} "${value}"`]));
  return [...named, ...(idx === undefined ? [] : [`idx ${idx}`])].join(", ");
}
