import type { FoundText } from "../../../api/threads.js";
import { pathToText } from "../../parts/value-tree/path-text.js";
import { linkToCheckpoint, linkToThread } from "../../routes/route.js";

/** The text that a search has found in a thread, which leads to where it is. */
export function FoundLink({ found }: { readonly found: FoundText }) {
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
