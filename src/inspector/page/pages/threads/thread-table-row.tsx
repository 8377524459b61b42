import type { CSSProperties } from "preact";
import type { ThreadRow, FoundText } from "../../../api/threads.js";
import { countText, formatBytes, formatCount } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { Time } from "../../parts/time.js";
import { linkToThread, linkToCheckpoint } from "../../routes/route.js";
import { pathToText } from "../../parts/value-tree/value-texts.js";

/** How long an unfinished thread is marked as live after it has stored something. */
const LIVE_MS = 30_000;

interface ThreadTableRowProps {
  readonly thread: ThreadRow;
  /** The number of the row, from 1. */
  readonly row: number;
  readonly bytes: number | undefined;
  readonly style: CSSProperties;
}

/** A thread in the list. */
export function ThreadTableRow({ thread, row, bytes, style }: ThreadTableRowProps) {
  const { threadId, updatedAt, checkpoints, namespaces, status } = thread;
  const isLive = status === "pending" && Date.now() - updatedAt < LIVE_MS;
  return (
    <tr class="threads-row" aria-rowindex={row + 1} style={style} data-thread={threadId}>
      <th scope="row" class="threads-id">
        <a href={linkToThread({ threadId, namespace: "" })}>
          <bdi>{threadId}</bdi>
        </a>
      </th>
      <td class="threads-state">
        <StatusBadge {...thread} />
        {thread.found !== undefined && <FoundLink found={thread.found} />}
        {thread.found === undefined && thread.open !== undefined && (
          <bdi class={`threads-open threads-open-${thread.open.kind}`} title={thread.open.text}>
            {thread.open.text}
          </bdi>
        )}
      </td>
      <td class="threads-time">
        {isLive && (
          <span
            class="threads-live"
            title="A run is under way: it has stored something within the last 30 seconds"
          >
            live
          </span>
        )}
        <Time at={updatedAt} />
      </td>
      <td class="threads-number" title={countText(checkpoints, "checkpoint")}>
        {formatCount(checkpoints)}
      </td>
      <td class="threads-number" title={countText(namespaces, "namespace")}>
        {formatCount(namespaces)}
      </td>
      <td class="threads-number threads-size">{bytes === undefined ? "" : formatBytes(bytes)}</td>
    </tr>
  );
}

/** The text that a search has found in a thread, which leads to where it is. */
function FoundLink({ found }: { readonly found: FoundText }) {
  const { before, match, after } = found;
  return (
    <a class="threads-open threads-found" href={linkToFound(found)} title={placeOf(found)}>
      <bdi>
        {before}
        <mark>{match}</mark>
        {after}
      </bdi>
    </a>
  );
}

function linkToFound(found: FoundText): string {
  const { channel, path = [] } = found;
  // The thread shows the questions and the errors of its open tasks first.
  if (channel === undefined) return linkToThread(found);
  return found.isMessage === true
    ? linkToCheckpoint(found, { tab: "conversation", channel, path: pathToText(path.slice(0, 1)) })
    : linkToCheckpoint(found, { tab: "channels", channel, path: pathToText(path) });
}

function placeOf({ kind, channel, label = "" }: FoundText): string {
  return channel === undefined ? `The ${kind} of a task` : `${channel} ${label}`.trimEnd();
}
