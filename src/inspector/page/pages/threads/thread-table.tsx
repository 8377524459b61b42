import { useGrowth } from "../../server/use-pages.js";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import type { RefObject, TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ThreadRow } from "../../../api/threads.js";
import { useMedia } from "../../parts/use-media.js";
import { useTick } from "../../parts/time.js";
import { ThreadTableRow } from "./thread-table-row.js";
import type { ThreadSelection } from "./use-thread-selection.js";
import { focusedThread, linkOf, useSteadyRows } from "./use-steady-rows.js";
import { useThreadDetails, type ThreadList, type VisibleRange } from "./use-threads.js";
import "./thread-table.css";

export type ThreadOrder = "id" | "recent" | "oldest";

interface ThreadTableProps {
  readonly list: ThreadList;
  readonly rows: readonly ThreadRow[];
  readonly order: ThreadOrder;
  readonly linkToOrder: (order: ThreadOrder) => string;
  /** Whether the list has the threads in one state, which are ordered by time. */
  readonly isInState: boolean;
  readonly selection: ThreadSelection;
  /** Takes the threads that are on the screen. */
  readonly visible: RefObject<VisibleRange>;
}

/** What is fixed at the top of the window: the header of the page and that of the table. */
const COVERED_PX = 96;
const OVERSCAN = 8;

/** The threads as a table, of which only the rows near the window exist. */
export function ThreadTable({
  list,
  rows,
  order,
  linkToOrder,
  isInState,
  selection,
  visible,
}: ThreadTableProps) {
  useTick(5_000);
  const isNarrow = useMedia("(max-width: 48rem)");
  const rowHeight = isNarrow ? 112 : 56;
  const body = useRef<HTMLTableSectionElement>(null);
  const focused = focusedThread(body.current);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollMargin: body.current?.offsetTop ?? 0,
    scrollPaddingStart: COVERED_PX,
    getItemKey: (row) => rows[row]?.threadId ?? row,
    // The row with the focus stays, so that the keyboard continues from it.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      const kept = focused === undefined ? -1 : rows.findIndex(({ threadId }) => threadId === focused);
      return kept === -1 || shown.includes(kept) ? shown : [...shown, kept].sort((a, b) => a - b);
    },
  });
  useEffect(() => {
    virtualizer.measure();
  }, [rowHeight]);
  const items = virtualizer.getVirtualItems();
  const { startIndex, endIndex } = virtualizer.range ?? { startIndex: 0, endIndex: 0 };
  const firstVisible = rows[startIndex]?.threadId;
  visible.current = { first: firstVisible, last: rows[endIndex]?.threadId };
  useSteadyRows({ list: body, rows, rowHeight, firstVisible });
  const { sizes, messages } = useThreadDetails(rows.slice(startIndex, endIndex + 1));
  const isNearEnd = endIndex + 2 * OVERSCAN >= rows.length;
  // Where a page looks at many threads, a person decides.
  useGrowth(list, isNearEnd && list.looked === undefined, rows.length);
  const wanted = useRef<number>();
  useEffect(() => {
    const threadId = rows[wanted.current ?? -1]?.threadId;
    const link = threadId === undefined ? undefined : linkOf(body.current, threadId);
    if (link === undefined) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });
  const goTo = (row: number): void => {
    wanted.current = Math.min(rows.length - 1, Math.max(0, row));
    virtualizer.scrollToIndex(wanted.current, { align: "auto" });
    const threadId = rows[wanted.current]?.threadId;
    if (threadId !== undefined) linkOf(body.current, threadId)?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    const from = rows.findIndex(({ threadId }) => threadId === focusedThread(body.current));
    const page = Math.max(1, endIndex - startIndex - 2);
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -from, End: rows.length },
    };
    const step = steps[event.key];
    if (step === undefined || from === -1 || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    goTo(from + step);
  };
  const top = items[0] === undefined ? 0 : virtualizer.options.scrollMargin;
  return (
    <>
      <table class="threads-table" aria-label="Threads" aria-rowcount={list.hasMore ? -1 : rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <td class="threads-select">
              <label>
                <input
                  type="checkbox"
                  aria-label="Select all that are shown"
                  checked={rows.every(({ threadId }) => selection.has(threadId))}
                  onClick={() => {
                    selection.selectAll();
                  }}
                />
              </label>
            </td>
            {isInState ? (
              <th scope="col">Thread</th>
            ) : (
              <Sorted by="id" order={order} link={linkToOrder("id")} title="Thread" />
            )}
            <th scope="col">Last message</th>
            <th scope="col">State</th>
            <Sorted
              by={order === "oldest" ? "oldest" : "recent"}
              order={order}
              link={linkToOrder(order === "recent" && isInState ? "oldest" : "recent")}
              title="Last activity"
            />
            <th scope="col" class="threads-number">
              Size
            </th>
          </tr>
        </thead>
        <tbody
          ref={body}
          data-list
          onKeyDown={onKeyDown}
          style={{ height: `${virtualizer.getTotalSize()}px` }}
        >
          {items.map(({ index, key, start }) => {
            const thread = rows[index];
            if (thread === undefined) return null;
            const style = { transform: `translateY(${start - top}px)`, height: `${rowHeight}px` };
            return (
              <ThreadTableRow
                key={key}
                {...{ thread, style }}
                row={index + 1}
                bytes={sizes.get(thread.threadId)}
                last={messages.get(thread.threadId)}
                isSelected={selection.has(thread.threadId)}
                onSelect={(isRange) => {
                  selection.toggle(thread.threadId, isRange);
                }}
              />
            );
          })}
        </tbody>
      </table>
    </>
  );
}

interface SortedProps {
  readonly by: ThreadOrder;
  readonly order: ThreadOrder;
  readonly link: string;
  readonly title: string;
}

function Sorted({ by, order, link, title }: SortedProps) {
  const isSorted = by === order;
  const direction = by === "recent" ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={isSorted ? direction : "none"}>
      <a href={link} title={`Sort by ${title.toLowerCase()}`}>
        {title}
        {isSorted && <span aria-hidden="true">{by === "recent" ? " ↓" : " ↑"}</span>}
      </a>
    </th>
  );
}
