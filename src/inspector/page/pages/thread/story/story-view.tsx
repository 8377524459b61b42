import type { NamespacePlace } from "../../../../api/places.js";
import type { StoryStep } from "../../../../api/story.js";
import type { HistoryPoint, NamespaceSummary } from "../../../../api/threads.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { useRead } from "../../../server/use-read.js";
import { CheckpointSummary } from "../checkpoint-summary.js";
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

/** The steps, and beside them the conversation, or the values of the selected step where there is none. */
export function StoryView({ place, namespaces, story, selection, isHead }: StoryViewProps) {
  const { steps, error, retry } = story;
  const { point, branch, select } = selection;
  if (steps === undefined) {
    return error === null ? <Loading what="the story" /> : <Failure error={error} onRetry={retry} />;
  }
  const step = steps.find(({ checkpointId }) => checkpointId === point?.checkpointId);
  return (
    <div class="story">
      <Timeline {...{ place, namespaces, story }} selected={point?.checkpointId} onSelect={select} />
      <div class="story-beside">
        {error !== null && <Failure error={error} onRetry={retry} />}
        {point !== undefined && <Beside {...{ place, steps, point, step, branch, isHead }} />}
      </div>
    </div>
  );
}

interface BesideProps {
  readonly place: NamespacePlace;
  readonly steps: readonly StoryStep[];
  readonly point: HistoryPoint;
  readonly step: StoryStep | undefined;
  readonly branch: readonly HistoryPoint[];
  readonly isHead: boolean;
}

function Beside({ place, steps, point, step, branch, isHead }: BesideProps) {
  const tip = { ...place, checkpointId: branch.at(-1)?.checkpointId ?? point.checkpointId };
  const { data } = useRead("checkpoint", tip, { keepPrevious: true });
  const [channel] = data?.conversations ?? [];
  if (data === undefined) return <Loading what="the conversation" />;
  if (channel === undefined || step === undefined)
    return <CheckpointSummary {...{ place, point }} isHead={isHead} />;
  const onBranch = new Set(branch.map(({ checkpointId }) => checkpointId));
  const later = steps.findLast(
    ({ checkpointId, ran }) =>
      checkpointId > step.checkpointId && onBranch.has(checkpointId) && (ran?.messages.length ?? 0) > 0,
  );
  return <ConversationPane {...{ tip, channel, step, later }} />;
}
