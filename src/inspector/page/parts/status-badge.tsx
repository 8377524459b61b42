import type { ThreadStatus } from "../../api/threads.js";

/** The states in the words of people. */
const NAMES: Readonly<Record<ThreadStatus, string>> = {
  interrupted: "waiting",
  failed: "failed",
  pending: "unfinished",
  done: "done",
};

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
      {NAMES[status]}
      {status !== "done" && next.length > 0 && ` · ${next.join(", ")}`}
    </span>
  );
}
