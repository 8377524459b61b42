import { Fact } from "../../parts/fact.js";
import { after } from "../../parts/effects.js";
import { channelName, isChannelOfEngine, nodeName, stepName, sourceName } from "../../parts/words.js";
import type { ComponentChildren } from "preact";
import type { CheckpointView, ChannelView, TaskView } from "../../../api/checkpoints.js";
import type { NamespacePlace } from "../../../api/places.js";
import type { HistoryPoint } from "../../../api/threads.js";
import { CheckpointActions } from "../../parts/actions/checkpoint-actions.js";
import { CopyId } from "../../parts/copy-button.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { countText, formatBytes } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { localTime, Time } from "../../parts/time.js";
import { linkToCheckpoint, linkToThread } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { runColour } from "./graph/run-colour.js";
import { useEffect, useState } from "preact/hooks";

/** How many values are shown. The page of the checkpoint has all. */
const VALUES = 12;
const PAUSE_MS = 120;

interface CheckpointSummaryProps {
  readonly place: NamespacePlace;
  readonly point: HistoryPoint;
  /** Whether it is the newest one, which may have new pending writes. */
  readonly isHead: boolean;
  /** What else the page offers to do with the step. */
  readonly children?: ComponentChildren;
}

/** What the selected checkpoint is about. */
export function CheckpointSummary({ place, point, isHead, children }: CheckpointSummaryProps) {
  const checkpointId = useSettled(point.checkpointId, PAUSE_MS);
  const { threadId, namespace } = place;
  const { data, error, refetch } = useRead(
    "checkpoint",
    { threadId, namespace, checkpointId },
    { keepPrevious: true, ...(isHead && { refreshMs: 5_000 }) },
  );
  const isOld = data?.checkpointId !== point.checkpointId;
  return (
    <section class="summary" aria-labelledby="summary-title">
      <StepHead {...{ place, point, isHead }}>
        {children ?? (
          <a class="button" href={linkToCheckpoint({ ...place, checkpointId: point.checkpointId })}>
            Open checkpoint
          </a>
        )}
      </StepHead>
      <PointFacts {...{ place, point }} status={isOld ? undefined : data} />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the checkpoint" />}
      {data !== undefined && (
        <div class={isOld ? "summary-old" : ""} aria-busy={isOld}>
          <PendingWrites tasks={data.tasks} />
          <Values view={data} />
        </div>
      )}
    </section>
  );
}

/** Names a step, and offers what can be done from it on. */
export function StepHead({ place, point, isHead, children }: CheckpointSummaryProps) {
  return (
    <div class="summary-head">
      <h2 id="summary-title">{stepName(point)}</h2>
      <div class="summary-tools">
        <CheckpointActions place={{ ...place, checkpointId: point.checkpointId }} isNewest={isHead} />
        {children}
      </div>
    </div>
  );
}

interface PointFactsProps {
  readonly place: NamespacePlace;
  readonly point: HistoryPoint;
  readonly status: CheckpointView | undefined;
}

function PointFacts({ place, point, status }: PointFactsProps) {
  const { checkpointId, parentId, createdAt, source, runId } = point;
  return (
    <dl class="summary-facts">
      <Fact name="State">{status && <StatusBadge {...status} />}</Fact>
      <Fact name="Stored">
        <Time at={createdAt} /> <span class="dim">{localTime(createdAt)}</span>
      </Fact>
      <Fact name="Origin">{source && <bdi>{sourceName(source)}</bdi>}</Fact>
      <Fact name="Run">
        {runId && (
          <>
            <bdi class={`mono ${runColour(runId)}`}>{runId}</bdi> <CopyId id={runId} of="run" />
          </>
        )}
      </Fact>
      <Fact name="Checkpoint">
        <bdi class="mono">{checkpointId}</bdi> <CopyId id={checkpointId} of="checkpoint" />
      </Fact>
      <Fact name="Parent">
        {parentId && (
          <a class="mono" href={linkToThread(place, { at: parentId })}>
            <bdi>{parentId}</bdi>
          </a>
        )}
      </Fact>
    </dl>
  );
}

function PendingWrites({ tasks }: { readonly tasks: readonly TaskView[] }) {
  if (tasks.length === 0) return null;
  return (
    <>
      <h3>Pending writes</h3>
      <dl class="summary-facts">
        {tasks.map(({ taskId, node, writes }) =>
          writes.map(({ idx, channel, preview, bytes }) => (
            <Fact
              key={`${taskId} ${idx}`}
              name={
                <bdi>
                  {node === undefined ? channelName(channel) : `${nodeName(node)} → ${channelName(channel)}`}
                </bdi>
              }
            >
              <Preview text={preview?.text} bytes={bytes} />
            </Fact>
          )),
        )}
      </dl>
    </>
  );
}

function Values({ view }: { readonly view: CheckpointView }) {
  const shown = view.channels
    .filter(({ storage, channel }) => storage !== "empty" && !isChannelOfEngine(channel))
    .toSorted((a, b) => Number(b.isNew) - Number(a.isNew));
  return (
    <>
      <h3>Values</h3>
      {shown.length === 0 && <p class="dim">This checkpoint has no values.</p>}
      <dl class="summary-facts">
        {shown.slice(0, VALUES).map((channel) => (
          <Fact key={channel.channel} name={<Name channel={channel} />}>
            <Preview text={channel.preview?.text} bytes={channel.bytes} />
          </Fact>
        ))}
      </dl>
      {shown.length > VALUES && (
        <p>
          <a href={linkToCheckpoint(view)}>All {countText(shown.length, "value")}</a>
        </p>
      )}
    </>
  );
}

function Name({ channel: { channel, isNew } }: { readonly channel: ChannelView }) {
  return (
    <>
      <bdi>{channelName(channel)}</bdi>
      {isNew && <span class="summary-new"> new</span>}
    </>
  );
}

function Preview({ text, bytes }: { readonly text: string | undefined; readonly bytes: number }) {
  if (text === undefined) return <span class="dim">{formatBytes(bytes)}</span>;
  return <bdi class="mono summary-preview">{text}</bdi>;
}

/** Returns a value once it has stayed the same for a while, so that scrubbing doesn't read every checkpoint on the way. */
function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(
    () =>
      after(pauseMs, () => {
        setSettled(() => value);
      }),
    [value, pauseMs],
  );
  return settled;
}
