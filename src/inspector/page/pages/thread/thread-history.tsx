import { sourceName } from "../../parts/words.js";
import { useEffect, useRef, useState } from "preact/hooks";
import type { NamespacePlace } from "../../../api/places.js";
import type { HistoryPoint, NamespaceSummary } from "../../../api/threads.js";
import { Failure, lazyPart, Loading } from "../../parts/read-state.js";
import { countText, formatCount } from "../../parts/number-texts.js";
import { Tabs } from "../../parts/tabs.js";
import { linkToCheckpoint, linkToThread, navigate } from "../../routes/route.js";
import { AnswerPanel } from "./answer/answer-panel.js";
import { CheckpointSummary } from "./checkpoint-summary.js";
import { GraphList } from "./graph/graph-list.js";
import { StoryView } from "./story/story-view.js";
import { useStory } from "./story/use-story.js";
import { useOverview } from "../../server/overview-context.js";
import { ThreadNotice } from "./thread-notice.js";
import { type History, useHistory } from "./use-history.js";
import { type Selection, useSelection } from "./use-selection.js";
import { ageText } from "../../parts/time.js";

const GraphView = lazyPart(
  "graph",
  "the graph",
  async () => (await import("./picture/graph-view.js")).GraphView,
);
const FiguresView = lazyPart(
  "figures",
  "the figures",
  async () => (await import("./story/figures-view.js")).FiguresView,
);

/** The views of a history, in their order. */
const VIEWS = { story: "Story", tree: "Branches", graph: "Graph", figures: "Figures" } as const;
type ViewName = keyof typeof VIEWS;

interface ThreadHistoryProps {
  readonly threadId: string;
  readonly namespace: string;
  /** Those of the thread, once they are known. */
  readonly namespaces: readonly NamespaceSummary[] | undefined;
  readonly params: URLSearchParams;
}

/** The history of a namespace: what it waits for, a scrubber, and its story, its tree or its figures. */
export function NamespaceHistory({ threadId, namespace, namespaces: known, params }: ThreadHistoryProps) {
  const place = { threadId, namespace };
  const { hasGraphs } = useOverview();
  const history = useHistory(place);
  const { points, error, retry } = history;
  const story = useStory(place, points);
  const selection = useSelection(place, params, history);
  const { point, branch, isFollowing, isMissing, select } = selection;
  if (points === undefined) {
    return error === null ? <Loading what="the history" /> : <Failure error={error} onRetry={retry} />;
  }
  // There may be no such thread.
  if (points.length === 0 && known === undefined) return <Loading what="the history" />;
  const namespaces = known ?? [];
  const { graph: _, ...others } = VIEWS;
  // A subgraph is drawn within the root graph.
  const views = hasGraphs && namespace === "" ? VIEWS : others;
  const view = viewOf(params, views);
  const [newest] = story.steps ?? [];
  const isHead = point?.checkpointId === points[0]?.checkpointId;
  const linkTo = (name: ViewName): string =>
    linkToThread(place, {
      view: name === "story" ? undefined : name,
      at: params.get("at") ?? undefined,
      tip: params.get("tip") ?? undefined,
    });
  return (
    <>
      {newest !== undefined && <ThreadNotice {...{ place, namespaces }} step={newest} />}
      {error !== null && <Failure error={error} onRetry={retry} />}
      {isMissing && (
        <p role="status">
          The namespace has no such checkpoint. <a href={linkToThread(place)}>Show the newest one</a>
        </p>
      )}
      <Tabs
        label="Views of the thread"
        tabs={Object.entries(views).map(([name, title]) => ({ name, title, link: linkTo(name as ViewName) }))}
        shown={view}
        beside={
          <div class="thread-time">
            <Scrubber
              {...{ branch }}
              selected={point?.checkpointId}
              hasMore={history.hasMore}
              onSelect={(checkpointId) => {
                select(checkpointId, { replace: true });
              }}
            />
            <Following
              {...{ points, isFollowing }}
              link={linkToThread(place, { view: params.get("view") ?? undefined })}
            />
          </div>
        }
      >
        <div class={view === "story" ? "story" : ""}>
          {view === "story" && <StoryView {...{ place, namespaces, story, selection, isHead }} />}
          {view === "tree" && <TreeView {...{ place, history, selection, isHead }} />}
          {view === "graph" && point !== undefined && <GraphView {...{ place, point, isHead }} />}
          {view === "figures" && <FiguresView {...{ place, story }} />}
          {namespace === "" && (
            <AnswerPanel
              {...{ threadId }}
              version={versionOf(points[0])}
              isAsking={points[0]?.interrupted === true}
            />
          )}
        </div>
      </Tabs>
    </>
  );
}

/** Changes when something was stored. */
function versionOf(head: HistoryPoint | undefined): string {
  return head === undefined ? "" : `${head.checkpointId} ${head.writes}`;
}

function viewOf(params: URLSearchParams, views: object): ViewName {
  const asked = params.get("view");
  return asked !== null && Object.hasOwn(views, asked) ? (asked as ViewName) : "story";
}

interface TreeViewProps {
  readonly place: NamespacePlace;
  readonly history: History;
  readonly selection: Selection;
  readonly isHead: boolean;
}

/** The tree of branches, and the values of the selected checkpoint. */
function TreeView({ place, history, selection: { point, isMissing, select }, isHead }: TreeViewProps) {
  return (
    <div class="thread-panes">
      <GraphList
        history={history}
        selected={point?.checkpointId}
        onSelect={select}
        onOpen={() => {
          if (point !== undefined) navigate(linkToCheckpoint({ ...place, ...point }));
        }}
      />
      {point !== undefined && <CheckpointSummary {...{ place, point, isHead }} />}
      {point === undefined && !isMissing && <Loading what="the checkpoint" />}
    </div>
  );
}

interface FollowingProps {
  readonly points: readonly HistoryPoint[];
  readonly isFollowing: boolean;
  /** Leads to the head. */
  readonly link: string;
}

/** Says whether the page follows the head, and what has been stored since the person looked away from it. */
function Following({ points, isFollowing, link }: FollowingProps) {
  const head = points[0];
  const seen = useRef(head?.checkpointId);
  const [said, setSaid] = useState("");
  const announced = useRef(head?.checkpointId);
  useEffect(() => {
    if (isFollowing) seen.current = head?.checkpointId;
    if (head === undefined || announced.current === head.checkpointId) return;
    announced.current = head.checkpointId;
    setSaid(`New checkpoint${head.step === undefined ? "" : `, step ${head.step}`}`);
  }, [head?.checkpointId, isFollowing]);
  const unseen = isFollowing ? 0 : points.findIndex(({ checkpointId }) => checkpointId === seen.current);
  return (
    <>
      <p class="following">
        {isFollowing ? (
          <span class="following-on">following</span>
        ) : (
          <a class="button" href={link}>
            {unseen > 0 ? `${countText(unseen, "new checkpoint")} – go to the newest` : "Go to the newest"}
          </a>
        )}
      </p>
      <p class="sr-only" aria-live="polite">
        {said}
      </p>
    </>
  );
}

interface ScrubberProps {
  /** The checkpoints of the branch, the oldest first. */
  readonly branch: readonly HistoryPoint[];
  readonly selected: string | undefined;
  /** Whether older checkpoints are not loaded yet. */
  readonly hasMore: boolean;
  readonly onSelect: (checkpointId: string) => void;
}

/** Goes through time along a branch. */
function Scrubber({ branch, selected, hasMore, onSelect }: ScrubberProps) {
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
  const parts = [step === undefined ? undefined : `step ${step}`, sourceName(source), ageText(createdAt)];
  return `${parts.filter((part) => part !== undefined).join(", ")}, ${position + 1} of ${length}`;
}
