import type { CSSProperties } from "preact";
import type { LastMessage } from "../../../api/finds.js";
import type { ThreadRow, FoundText } from "../../../api/threads.js";
import { CopyId } from "../../parts/copy-button.js";
import { countText, formatBytes } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { Time } from "../../parts/time.js";
import { roleName } from "../../parts/words.js";
import { linkToThread } from "../../routes/route.js";
import { linkToFound } from "./link-to-found.js";
import { shortId } from "./short-id.js";
import { namesOf } from "./thread-names.js";

/** How long an unfinished thread is marked as live after it has stored something. */
const LIVE_MS = 30_000;

interface ThreadTableRowProps {
  readonly thread: ThreadRow;
  /** The number of the row, from 1. */
  readonly row: number;
  readonly bytes: number | undefined;
  readonly last: LastMessage | undefined;
  readonly style: CSSProperties;
  readonly isSelected: boolean;
  /** @param isRange - Whether the rows since the last one that was selected are meant. */
  readonly onSelect: (isRange: boolean) => void;
}

/** A thread in the list. */
export function ThreadTableRow(props: ThreadTableRowProps) {
  const { thread, row, bytes, last, style, isSelected, onSelect } = props;
  const { threadId, updatedAt, checkpoints, namespaces, status, metadata, conversation } = thread;
  const { title, user, graph } = namesOf({ ...metadata, ...conversation });
  const name = title ?? user;
  const isLive = status === "pending" && Date.now() - updatedAt < LIVE_MS;
  return (
    <tr class="threads-row" aria-rowindex={row + 1} style={style} data-thread={threadId}>
      <td class="threads-select">
        <label>
          <input
            type="checkbox"
            aria-label={`Select ${shortId(threadId)}`}
            checked={isSelected}
            onClick={({ shiftKey }) => {
              onSelect(shiftKey);
            }}
          />
        </label>
      </td>
      <th scope="row" class="threads-id">
        <a href={linkToThread({ threadId, namespace: "" })} title={threadId}>
          {name !== undefined && (
            <>
              <bdi class="threads-name">{name}</bdi>{" "}
            </>
          )}
          <bdi class={name === undefined ? "threads-name" : "threads-of"}>{shortId(threadId)}</bdi>
        </a>
        {title !== undefined && user !== undefined && <bdi class="threads-of">{user}</bdi>}
        {graph !== undefined && (
          <bdi class="threads-of threads-graph" title="Graph">
            {graph}
          </bdi>
        )}
        <CopyId id={threadId} of="thread" />
      </th>
      <td class="threads-said">
        <Said {...{ thread, last }} />
      </td>
      <td class="threads-state">
        <StatusBadge status={status} next={[]} />
        {last?.failedTools !== undefined && (
          <span class="badge badge-failed" title={`Failed: ${last.failedTools.join(", ")}`}>
            tool failed
          </span>
        )}
        {isLive && (
          <span
            class="threads-live"
            title="A run is under way: it has stored something within the last 30 seconds"
          >
            live
          </span>
        )}
      </td>
      <td class="threads-time">
        <Time at={updatedAt} />
      </td>
      <td
        class="threads-number threads-size"
        title={`${countText(checkpoints, "checkpoint")} in ${countText(namespaces, "namespace")}`}
      >
        {bytes === undefined ? "" : formatBytes(bytes)}
      </td>
    </tr>
  );
}

/** What says most about a thread: what a search has found, what it asks or why it failed, or its last message. */
function Said({ thread: { found, open }, last }: Pick<ThreadTableRowProps, "thread" | "last">) {
  if (found !== undefined) return <FoundLink found={found} />;
  if (open !== undefined) {
    return (
      <bdi class={`threads-open threads-open-${open.kind}`} title={open.text}>
        {open.text}
      </bdi>
    );
  }
  if (last === undefined) return null;
  if (last.bytes !== undefined)
    return <span class="threads-open dim">a conversation of {formatBytes(last.bytes)}</span>;
  const { role, text, tools = [] } = last;
  return (
    <span class="threads-open" title={text}>
      <span class="dim">{roleName(role)}:</span> {role === "tool" && <bdi>{tools[0]}</bdi>}{" "}
      <bdi>{text.replaceAll(/\*\*|`|^#+ /gm, "")}</bdi>
      {text === "" && tools.length > 0 && role !== "tool" && (
        <>
          calls <bdi class="mono">{tools.join(", ")}</bdi>
        </>
      )}
    </span>
  );
}

/** The text that a search has found in a thread, which leads to where it is. */
function FoundLink({ found }: { readonly found: FoundText }) {
  const { before, match, after } = found;
  return (
    <a class="threads-open threads-found" href={linkToFound(found)} title={placeOf(found)}>
      {found.kind === "metadata" && (
        <span class="dim">
          <bdi>{found.label}</bdi>:{" "}
        </span>
      )}
      <bdi>
        {before}
        <mark>{match}</mark>
        {after}
      </bdi>
    </a>
  );
}

function placeOf({ kind, channel, label = "" }: FoundText): string {
  if (kind === "metadata") return `Metadata: ${label}`;
  return channel === undefined ? `The ${kind} of a task` : `${channel} ${label}`.trimEnd();
}
