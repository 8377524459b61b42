import { useEffect, useRef, useState } from "preact/hooks";
import type { HistoryPoint } from "../../../api/threads.js";
import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { counted } from "../../parts/number-texts.js";
import { linkToCheckpoint, linkToThread } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { CheckpointSummary } from "./checkpoint-summary.js";
import { GraphList } from "./graph/graph-list.js";
import { Scrubber } from "./scrubber.js";
import { useHistory } from "./use-history.js";
import { useSelection } from "./use-selection.js";

interface ThreadHistoryProps {
  readonly threadId: string;
  readonly namespace: string;
  readonly params: URLSearchParams;
}

/** The history of a namespace: its tree, a scrubber, and the selected checkpoint. */
export function ThreadHistory({ threadId, namespace, params }: ThreadHistoryProps) {
  const place = { threadId, namespace };
  const history = useHistory(place);
  const { points, error, retry } = history;
  const { point, branch, isFollowing, isMissing, select } = useSelection(place, params, history);
  if (points === undefined) {
    return error === null ? <Loading what="the history" /> : <Failure error={error} onRetry={retry} />;
  }
  return (
    <>
      <div class="thread-time">
        <Scrubber
          {...{ branch }}
          selected={point?.checkpointId}
          hasMore={history.hasMore}
          onSelect={(checkpointId) => {
            select(checkpointId, { replace: true });
          }}
        />
        <Following {...{ points, isFollowing }} link={linkToThread(place)} />
      </div>
      {error !== null && <Failure error={error} onRetry={retry} />}
      <div class="thread-panes">
        <GraphList
          history={history}
          selected={point?.checkpointId}
          onSelect={select}
          onOpen={() => {
            if (point !== undefined) navigate(linkToCheckpoint({ ...place, ...point }));
          }}
        />
        {point !== undefined && (
          <CheckpointSummary {...{ place, point }} isHead={point.checkpointId === points[0]?.checkpointId} />
        )}
        {point === undefined && !isMissing && <Loading what="the checkpoint" />}
        {isMissing && (
          <p role="status">
            The namespace has no such checkpoint. <a href={linkToThread(place)}>Show the newest one</a>
          </p>
        )}
      </div>
    </>
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
            {unseen > 0 ? `${counted(unseen, "new checkpoint")} – go to the newest` : "Go to the newest"}
          </a>
        )}
      </p>
      <p class="sr-only" aria-live="polite">
        {said}
      </p>
    </>
  );
}
