import type { HistoryPoint } from "../../../api/threads.js";
import { formatCount } from "../../parts/number-texts.js";
import { ageText } from "../../parts/time.js";

interface ScrubberProps {
  /** The checkpoints of the branch, the oldest first. */
  readonly branch: readonly HistoryPoint[];
  readonly selected: string | undefined;
  /** Whether older checkpoints are not loaded yet. */
  readonly hasMore: boolean;
  readonly onSelect: (checkpointId: string) => void;
}

/** Goes through time along a branch. */
export function Scrubber({ branch, selected, hasMore, onSelect }: ScrubberProps) {
  const position = branch.findIndex(({ checkpointId }) => checkpointId === selected);
  const goTo = (to: number): void => {
    const point = branch[to];
    if (point !== undefined) onSelect(point.checkpointId);
  };
  const point = branch[position];
  return (
    <div class="scrubber" role="group" aria-label="Time travel">
      <button
        type="button"
        disabled={position <= 0}
        onClick={() => {
          goTo(position - 1);
        }}
      >
        <span aria-hidden="true">←</span> <span class="scrubber-word">Older</span>
      </button>
      <input
        type="range"
        aria-label="Checkpoint of the branch"
        min={0}
        max={Math.max(0, branch.length - 1)}
        value={Math.max(0, position)}
        disabled={branch.length < 2}
        aria-valuetext={point === undefined ? "none" : valueText(point, position, branch.length)}
        onInput={({ currentTarget }) => {
          goTo(currentTarget.valueAsNumber);
        }}
      />
      <button
        type="button"
        disabled={position === -1 || position >= branch.length - 1}
        onClick={() => {
          goTo(position + 1);
        }}
      >
        <span class="scrubber-word">Newer</span> <span aria-hidden="true">→</span>
      </button>
      <span class="scrubber-place dim">
        {formatCount(position + 1)} of {formatCount(branch.length)}
        {hasMore && "+"} <span class="scrubber-word">on this branch</span>
      </span>
    </div>
  );
}

function valueText({ step, source, createdAt }: HistoryPoint, position: number, length: number): string {
  const parts = [step === undefined ? undefined : `step ${step}`, source, ageText(createdAt)];
  return `${parts.filter((part) => part !== undefined).join(", ")}, ${position + 1} of ${length}`;
}
