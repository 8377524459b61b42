import type { ThreadStatus } from "../../api/threads.js";

/** Shows what a thread waits for. */
export function StatusBadge({
  status,
  next,
}: {
  readonly status: ThreadStatus;
  readonly next: readonly string[];
}) {
  return (
    <span class={`badge badge-${status}`}>
      {status}
      {status !== "done" && next.length > 0 && ` · ${next.join(", ")}`}
    </span>
  );
}
