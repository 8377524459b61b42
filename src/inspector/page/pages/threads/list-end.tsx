import type { ThreadRow } from "../../../api/threads.js";
import { counted } from "../../parts/number-texts.js";
import type { ThreadList } from "./use-threads.js";

interface ListEndProps {
  readonly list: ThreadList;
  /** Whether the threads were searched for a text. */
  readonly isSearched: boolean;
  readonly threads: readonly ThreadRow[];
}

/** Says how many threads there are, or how many have been looked at for those in the list. */
export function ListEnd({ list, isSearched, threads }: ListEndProps) {
  const { hasMore, isLoadingMore, looked, loadMore } = list;
  if (threads.length === 0 && looked === undefined) return null;
  const found = counted(threads.length, "thread");
  if (looked === undefined) {
    return (
      <p class="threads-end dim" role="status">
        {hasMore ? "Loading more threads…" : found}
      </p>
    );
  }
  return (
    <div class="threads-end">
      <p class="dim" role="status">
        {isLoadingMore
          ? "Looking at more threads…"
          : `${found} among the ${counted(looked, "thread")} ${whichOnes(list)}${hasMore ? "" : ", which are all"}`}
        {isSearched && hintOf(list)}
      </p>
      {hasMore && (
        <button type="button" disabled={isLoadingMore} onClick={loadMore}>
          Look further
        </button>
      )}
    </div>
  );
}

function whichOnes({ byWords }: ThreadList): string {
  return byWords === true ? "that have these words" : "with the latest activity";
}

/** Says what a search has left out, and why. */
function hintOf({ hasMore, byWords, unread }: ThreadList): string {
  const left =
    unread === 0
      ? ""
      : `. ${counted(unread, "thread")} ${unread === 1 ? "has" : "have"} values that were not searched: they are too long, or can’t be read here`;
  if (!hasMore || byWords === true) return left;
  return byWords === false
    ? `${left}. These words are in too many threads to look at all of them`
    : `${left}. With the text-index, all threads are searched`;
}
