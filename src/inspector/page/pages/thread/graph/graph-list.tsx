import { useGrowth } from "../../../server/use-pages.js";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useMedia } from "../../../parts/use-media.js";
import { useTick } from "../../../parts/time.js";
import type { History } from "../use-history.js";
import { GraphRow, ROW_HEIGHT } from "./graph-row.js";
import { columnsOf, layOut } from "./lanes.js";

interface GraphListProps {
  readonly history: History;
  readonly selected: string | undefined;
  readonly onSelect: (checkpointId: string, how: { readonly replace: boolean }) => void;
  /** Opens the page of the selected checkpoint. */
  readonly onOpen: () => void;
}

const OVERSCAN = 10;

/** The tree of a namespace's checkpoints, of which only the rows near the screen exist. */
export function GraphList({ history, selected, onSelect, onOpen }: GraphListProps) {
  useTick(5_000);
  const { points = [], hasMore } = history;
  const { rows, columns } = useMemo(() => {
    const laidOut = layOut(points);
    return { rows: laidOut.rows, columns: columnsOf(laidOut.rows) };
  }, [points]);
  const columnWidth = useMedia("(max-width: 48rem)") ? 10 : 14;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: (row) => rows[row]?.point.checkpointId ?? row,
  });
  const position = rows.findIndex(({ point }) => point.checkpointId === selected);
  const before = useRef({ rows, anchor: rows[0]?.point.checkpointId });
  const firstVisible = rows[virtualizer.range?.startIndex ?? 0]?.point.checkpointId;
  // New rows at the top don't move what the person reads.
  useLayoutEffect(() => {
    const { rows: old, anchor } = before.current;
    before.current = { rows, anchor: firstVisible };
    if (old === rows || scroller.current === null || scroller.current.scrollTop === 0) return;
    const added = positionOf(rows, anchor) - positionOf(old, anchor);
    if (added > 0) scroller.current.scrollTop += added * ROW_HEIGHT;
  });
  useEffect(() => {
    if (position !== -1) virtualizer.scrollToIndex(position, { align: "auto" });
  }, [selected, position === -1]);
  const lastShown = virtualizer.range?.endIndex ?? 0;
  const isNearEnd = lastShown + 4 * OVERSCAN >= rows.length;
  useGrowth(history, isNearEnd, rows.length);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      onOpen();
      return;
    }
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1);
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length },
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = rows[Math.min(rows.length - 1, Math.max(0, position + step))];
    if (next !== undefined) onSelect(next.point.checkpointId, { replace: true });
  };
  return (
    <div
      class="graph"
      data-list
      ref={scroller}
      role="listbox"
      aria-label="Checkpoints, the newest first"
      aria-activedescendant={position === -1 ? undefined : `${id}${position}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div class="graph-rows" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { checkpointId, runId } = row.point;
          return (
            <div
              key={key}
              id={`${id}${index}`}
              class="graph-row"
              role="option"
              tabIndex={-1}
              aria-selected={checkpointId === selected}
              aria-posinset={index + 1}
              aria-setsize={hasMore ? -1 : rows.length}
              data-checkpoint={checkpointId}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => {
                onSelect(checkpointId, { replace: false });
                scroller.current?.focus({ preventScroll: true });
              }}
              onKeyDown={onKeyDown}
            >
              <GraphRow
                {...{ row, columns, columnWidth }}
                isHead={index === 0}
                beginsRun={rows[index - 1]?.point.runId !== runId}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function positionOf(
  rows: readonly { readonly point: { readonly checkpointId: string } }[],
  checkpointId: string | undefined,
): number {
  return rows.findIndex(({ point }) => point.checkpointId === checkpointId);
}
