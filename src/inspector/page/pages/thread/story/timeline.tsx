import { MeasuredRows } from "../../../parts/measured-rows.js";
import { useGrowth } from "../../../server/use-pages.js";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { StoryStep } from "../../../../api/story.js";
import type { HistoryPoint } from "../../../../api/threads.js";
import { durationText, countText, formatCount } from "../../../parts/number-texts.js";
import { localTime, Time, useTick } from "../../../parts/time.js";
import { linkToCheckpoint, navigate } from "../../../routes/route.js";
import { runColour } from "../graph/run-colour.js";
import { StepBody, type StepContext, StepTitle } from "./step-body.js";
import { rowsOfBranch, type StepRow, type StoryRun, costOf } from "./story-rows.js";
import type { Story } from "./use-story.js";

interface TimelineProps extends StepContext {
  readonly story: Story;
  readonly selected: string | undefined;
  /** The checkpoints of the shown branch, the oldest first. */
  readonly branch: readonly HistoryPoint[];
  /** Whether a person chooses a step to compare with. */
  readonly isComparing: boolean;
  readonly onSelect: (checkpointId: string, how: { readonly replace: boolean }) => void;
  /** Called with the step that a person points to. */
  readonly onPick: (checkpointId: string) => void;
}

const OVERSCAN = 8;
const ROW_PX = 56;

/** The steps of a namespace, the newest first, of which only those near the screen exist. */
export function Timeline(props: TimelineProps) {
  const { story, selected, branch, isComparing, onSelect, onPick, place, namespaces } = props;
  useTick(5_000);
  const { steps = [], hasMore } = story;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => {
    const ids = branch.map(({ checkpointId }) => checkpointId);
    return rowsOfBranch(steps, { branch: ids, opened, hasMore });
  }, [steps, branch, opened, hasMore]);
  const scroller = useRef<HTMLDivElement>(null);
  const chosen = rows.findIndex((row) => row.kind === "step" && row.key === selected);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    getItemKey: (index) => rows[index]?.key ?? index,
    // The selected step stays, since it is the one that the keyboard reaches.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return chosen === -1 || shown.includes(chosen) ? shown : [...shown, chosen].sort((a, b) => a - b);
    },
  });
  // Keys move the focus to a row that may not be there yet.
  const isMovingFocus = useRef(false);
  useEffect(() => {
    if (chosen === -1) return;
    // What has begun after the newest step is above it.
    if (chosen <= 2) scroller.current?.scrollTo({ top: 0 });
    else virtualizer.scrollToIndex(chosen, { align: "auto" });
  }, [selected, chosen === -1]);
  const focusSelected = (): void => {
    scroller.current?.querySelector<HTMLElement>('[aria-current="step"]')?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (!isMovingFocus.current) return;
    isMovingFocus.current = false;
    focusSelected();
  }, [selected]);
  useLayoutEffect(() => {
    if (isComparing) focusSelected();
  }, [isComparing]);
  const lastShown = virtualizer.range?.endIndex ?? 0;
  const isNearEnd = lastShown + 4 * OVERSCAN >= rows.length;
  const isSelectedLater =
    selected !== undefined && chosen === -1 && selected < (steps.at(-1)?.checkpointId ?? "");
  useGrowth(story, isNearEnd || isSelectedLater, rows.length);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!(event.target instanceof HTMLElement) || !event.target.matches(".story-pick")) return;
    if (
      event.key === "Enter" &&
      !isComparing &&
      selected !== undefined &&
      event.target.dataset.checkpoint === selected
    ) {
      event.preventDefault();
      navigate(linkToCheckpoint({ ...place, checkpointId: selected }));
      return;
    }
    const reached = rows.flatMap((row) => (row.kind === "step" ? row.step : []));
    const position = reached.findIndex(({ checkpointId }) => checkpointId === selected);
    const targets: Readonly<Record<string, number>> = {
      ...{ ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: reached.length - 1 },
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const next = reached[Math.min(reached.length - 1, Math.max(0, target))];
    if (next === undefined || next.checkpointId === selected) return;
    isMovingFocus.current = true;
    onSelect(next.checkpointId, { replace: true });
  };
  return (
    <div
      class={isComparing ? "story-timeline story-comparing" : "story-timeline"}
      data-list
      ref={scroller}
      role="region"
      aria-label="Steps"
      onKeyDown={onKeyDown}
    >
      <MeasuredRows virtual={virtualizer} name="story-rows" total={hasMore ? -1 : rows.length}>
        {(index) => {
          const row = rows[index];
          if (row === undefined) return null;
          if (row.kind !== "branches") return <Row {...{ row, place, namespaces, selected, onPick }} />;
          return (
            <button
              type="button"
              class="story-branches"
              aria-expanded={opened.has(row.key)}
              onClick={() => {
                const others = [...opened].filter((key) => key !== row.key);
                setOpened(new Set(opened.has(row.key) ? others : [...others, row.key]));
              }}
            >
              <span aria-hidden="true">{opened.has(row.key) ? "▾" : "▸"}</span>{" "}
              {countText(row.count, "other branch", "other branches")} from here
            </button>
          );
        }}
      </MeasuredRows>
    </div>
  );
}

interface RowProps extends StepContext, Pick<TimelineProps, "selected" | "onPick"> {
  readonly row: StepRow;
}

function Row({ row, place, namespaces, selected, onPick }: RowProps) {
  if (row.kind === "run") return <RunHead run={row.run} />;
  const { kind, step } = row;
  if (kind === "open") {
    return (
      <div class={`story-step story-open story-open-${step.open?.status}`}>
        <p class="story-title">
          <StepTitle step={step} isOpen />
        </p>
        <StepBody {...{ step, place, namespaces }} isOpen />
      </div>
    );
  }
  const isSelected = step.checkpointId === selected;
  return (
    <div class={row.isAside ? "story-step story-aside" : "story-step"} data-selected={isSelected}>
      <button
        type="button"
        class="story-pick story-title"
        aria-current={isSelected ? "step" : undefined}
        tabIndex={isSelected || selected === undefined ? 0 : -1}
        data-checkpoint={step.checkpointId}
        onClick={() => {
          onPick(step.checkpointId);
        }}
      >
        <StepTitle step={step} isOpen={false} from={row.from} />
      </button>
      <StepBody {...{ step, place, namespaces }} isOpen={false} />
      {isSelected && <StepLinks {...{ place, step }} />}
    </div>
  );
}

interface StepLinksProps extends Pick<StepContext, "place"> {
  readonly step: StoryStep;
}

function StepLinks({ place, step: { checkpointId, parentId, createdAt } }: StepLinksProps) {
  const checkpoint = { ...place, checkpointId };
  return (
    <p class="story-links">
      <a href={linkToCheckpoint(checkpoint)}>Open checkpoint</a>
      {parentId !== undefined && (
        <>
          <a href={linkToCheckpoint(checkpoint, { tab: "changes" })}>Changes</a>
          {/* The tasks of a step write to the checkpoint before it. */}
          <a href={linkToCheckpoint({ ...place, checkpointId: parentId }, { tab: "writes" })}>Writes</a>
        </>
      )}
      <span class="dim">{localTime(createdAt)}</span>
    </p>
  );
}

function RunHead({ run: { runId, steps } }: { readonly run: StoryRun }) {
  const { tookMs, input, output } = costOf(steps);
  const began = steps.at(-1)?.createdAt;
  return (
    <p class="story-run">
      {runId === undefined ? (
        <strong>{steps.every(isEdit) ? "Edited" : "Run"}</strong>
      ) : (
        <bdi class={`mono ${runColour(runId)}`}>{runId}</bdi>
      )}
      <span class="dim">
        {began !== undefined && (
          <>
            <Time at={began} />
            {", "}
          </>
        )}
        {tookMs > 0 && `${durationText(tookMs)}, `}
        {input + output > 0 && `${formatCount(input + output)} tokens, `}
        {countText(steps.length, "step")}
      </span>
    </p>
  );
}

function isEdit({ source }: StoryStep): boolean {
  return source === "fork" || source === "update";
}
