import type { CSSProperties } from "preact";
import type { ThreadRow } from "../../../api/threads.js";
import { counted, formatBytes, formatCount } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { Time } from "../../parts/time.js";
import { linkToThread } from "../../routes/route.js";
import { FoundLink } from "./found-link.js";

/** How long a thread is marked after it has stored something. */
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
  const { threadId, updatedAt, checkpoints, namespaces } = thread;
  const isLive = Date.now() - updatedAt < LIVE_MS;
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
          <span class="threads-live" title="It has stored something within the last 30 seconds">
            live
          </span>
        )}
        <Time at={updatedAt} />
      </td>
      <td class="threads-number" title={counted(checkpoints, "checkpoint")}>
        {formatCount(checkpoints)}
      </td>
      <td class="threads-number" title={counted(namespaces, "namespace")}>
        {formatCount(namespaces)}
      </td>
      <td class="threads-number threads-size">{bytes === undefined ? "" : formatBytes(bytes)}</td>
    </tr>
  );
}
