import type { ThreadStatus } from "../../api/threads.js";
import { nodeName } from "./words.js";

/** The states in the words of people. */
const NAMES: Readonly<Record<ThreadStatus, string>> = {
  interrupted: "waiting",
  failed: "failed",
  pending: "unfinished",
  done: "done",
};

/** The states as lines in a square of 12. */
const ICONS: Readonly<Record<ThreadStatus, string>> = {
  interrupted: "M4 2.5v7M8 2.5v7",
  failed: "m2.5 2.5 7 7m0-7-7 7",
  pending: "M6 2v4l2.5 2M11 6a5 5 0 1 1-2-4",
  done: "m2 6.5 2.8 2.8L10 3",
};

/** Shows what a thread waits for. */
export function StatusBadge({
  status,
  next,
  handedOver = false,
}: {
  readonly status: ThreadStatus;
  readonly next: readonly string[];
  /** Whether a subgraph has ended by handing over to another node of its parent graph. */
  readonly handedOver?: boolean;
}) {
  return (
    <span class={`badge badge-${status}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        <path d={ICONS[status]} />
      </svg>
      {handedOver && status === "done" ? "handed over" : NAMES[status]}
      {status !== "done" && next.length > 0 && ` · ${next.map(nodeName).join(", ")}`}
    </span>
  );
}
