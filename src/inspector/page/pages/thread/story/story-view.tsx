import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { NamespacePlace } from "../../../../api/places.js";
import type { StoryStep } from "../../../../api/story.js";
import type { HistoryPoint, NamespaceSummary } from "../../../../api/threads.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { linkToCheckpoint, navigate } from "../../../routes/route.js";
import { useRead } from "../../../server/use-read.js";
import { placeToText } from "../../checkpoint/checkpoint-route.js";
import { stepName } from "../../../parts/words.js";
import { CheckpointSummary, StepHead } from "../checkpoint-summary.js";
import type { Selection } from "../use-selection.js";
import { ConversationPane } from "./conversation-pane.js";
import { Timeline } from "./timeline.js";
import type { Story } from "./use-story.js";
import "./story.css";

interface StoryViewProps {
  readonly place: NamespacePlace;
  readonly namespaces: readonly NamespaceSummary[];
  readonly story: Story;
  readonly selection: Selection;
  readonly isHead: boolean;
}

/** The steps, and beside them, in a grid, the conversation, or the values of the selected step where there is none. */
export function StoryView({ place, namespaces, story, selection, isHead }: StoryViewProps) {
  const { steps, error, retry } = story;
  const { point, branch, select } = selection;
  const [compared, setCompared] = useState<HistoryPoint>();
  if (steps === undefined) {
    return error === null ? <Loading what="the story" /> : <Failure error={error} onRetry={retry} />;
  }
  const step = steps.find(({ checkpointId }) => checkpointId === point?.checkpointId);
  return (
    <>
      <Timeline
        {...{ place, namespaces, story, branch }}
        selected={point?.checkpointId}
        isComparing={compared !== undefined}
        onSelect={select}
        onPick={(checkpointId) => {
          if (compared === undefined) select(checkpointId, { replace: false });
          else if (checkpointId !== compared.checkpointId)
            navigate(linkToComparison(place, [compared.checkpointId, checkpointId]));
        }}
      />
      <div class="story-beside">
        {error !== null && <Failure error={error} onRetry={retry} />}
        {compared !== undefined && (
          <p class="story-compare" role="status">
            Choose the step to compare {stepName(compared)} with.{" "}
            <button
              type="button"
              onClick={() => {
                setCompared(undefined);
              }}
            >
              Cancel
            </button>
          </p>
        )}
        {point !== undefined && (
          <Beside {...{ place, steps, point, step, branch, isHead }}>
            {compared === undefined && steps.length > 1 && (
              <button
                type="button"
                onClick={() => {
                  setCompared(point);
                }}
              >
                Compare with…
              </button>
            )}
          </Beside>
        )}
      </div>
    </>
  );
}

/** Returns the link to what differs between two steps. */
function linkToComparison(place: NamespacePlace, ids: readonly string[]): string {
  const [before = "", after = ""] = ids.toSorted();
  const other = placeToText({ ...place, checkpointId: before });
  return linkToCheckpoint({ ...place, checkpointId: after }, { tab: "changes", with: other });
}

interface BesideProps {
  readonly place: NamespacePlace;
  readonly steps: readonly StoryStep[];
  readonly point: HistoryPoint;
  readonly step: StoryStep | undefined;
  readonly branch: readonly HistoryPoint[];
  readonly isHead: boolean;
  /** What the page offers to do with the step. */
  readonly children: ComponentChildren;
}

function Beside({ place, steps, point, step, branch, isHead, children }: BesideProps) {
  const tip = { ...place, checkpointId: branch.at(-1)?.checkpointId ?? point.checkpointId };
  const { data } = useRead("checkpoint", tip, { keepPrevious: true });
  const [channel] = data?.conversations ?? [];
  if (data === undefined) return <Loading what="the conversation" />;
  if (channel === undefined || step === undefined)
    return <CheckpointSummary {...{ place, point, isHead, children }} />;
  const onBranch = new Set(branch.map(({ checkpointId }) => checkpointId));
  const later = steps.findLast(
    ({ checkpointId, ran }) =>
      checkpointId > step.checkpointId && onBranch.has(checkpointId) && (ran?.messages.length ?? 0) > 0,
  );
  return (
    <>
      <StepHead {...{ place, point, isHead, children }} />
      <ConversationPane
        {...{ tip, channel, step, later }}
        steps={steps.filter(({ checkpointId }) => onBranch.has(checkpointId))}
      />
    </>
  );
}
