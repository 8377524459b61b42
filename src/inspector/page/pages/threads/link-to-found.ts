import type { FoundText } from "../../../api/threads.js";
import { pathToText } from "../../parts/value-tree/value-texts.js";
import { linkToCheckpoint, linkToThread, type RouteParams } from "../../routes/route.js";

/**
 * Returns the link to a text that a search has found.
 *
 * @param inThread - How the thread is shown where the text is in no value: it shows the questions and errors of its open tasks first.
 */
export function linkToFound(found: FoundText, inThread: RouteParams = {}): string {
  const { channel, path = [], isMessage } = found;
  if (channel === undefined) return linkToThread(found, inThread);
  return isMessage === true
    ? linkToCheckpoint(found, { tab: "conversation", channel, path: pathToText(path.slice(0, 1)) })
    : linkToCheckpoint(found, { tab: "channels", channel, path: pathToText(path) });
}
