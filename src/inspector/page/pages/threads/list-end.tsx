import type { ThreadRow } from "../../../api/threads.js";
import { counted } from "../../parts/number-texts.js";
import type { ThreadList } from "./use-threads.js";

interface ListEndProps {
  readonly list: ThreadList;
  readonly threads: readonly ThreadRow[];
}

/** Says how many threads there are, or how many have been looked at for those in the list. */
export function ListEnd({ list: { hasMore, isLoadingMore, looked, loadMore }, threads }: ListEndProps) {
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
          : `${found} among the ${counted(looked, "thread")} with the latest activity${hasMore ? "" : ", which are all"}`}
      </p>
      {hasMore && (
        <button type="button" disabled={isLoadingMore} onClick={loadMore}>
          Look further
        </button>
      )}
    </div>
  );
}
