import { MoreButton } from "../../../parts/more-button.js";
import { useMemo } from "preact/hooks";
import type { NamespacePlace } from "../../../../api/places.js";
import type { StoryStep } from "../../../../api/story.js";
import type { StepBytes } from "../../../../api/storage-views.js";
import { Bars, BarsLegend } from "../../../parts/charts/bars.js";
import { BytesChart, BytesLegend, allBytesOf, type PartBytes } from "../../../parts/charts/bytes-chart.js";
import { Bytes, Figures } from "../../../parts/charts/figures.js";
import { durationText, countText, formatCount } from "../../../parts/number-texts.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { nodeName } from "../../../parts/words.js";
import { linkToThread, navigate } from "../../../routes/route.js";
import { useRead } from "../../../server/use-read.js";
import { nodeCountsOf } from "./story-rows.js";
import type { Story } from "./use-story.js";

const CHART_HEIGHT = 96;
const TOKENS = [
  ["tokens-input", "in"],
  ["tokens-output", "out"],
] as const;
const TIMES = [
  ["time-ran", "ran"],
  ["time-waited", "with a wait for a person or another run, not to its length"],
] as const;
const NO_BYTES: PartBytes = { headerBytes: 0, valueBytes: 0, writeBytes: 0 };

/** Tokens, time and bytes by step, as charts above each other and as a table. */
export function FiguresView({ place, story }: { readonly place: NamespacePlace; readonly story: Story }) {
  const { hasMore, error, retry } = story;
  const steps = useMemo(() => (story.steps ?? []).toReversed(), [story.steps]);
  const bytes = useRead("stepBytes", place);
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (story.steps === undefined) return <Loading what="the figures" />;
  const byCheckpoint = new Map(bytes.data?.steps.map((each) => [each.checkpointId, each]));
  const choose = (index: number): void => {
    const step = steps[index];
    if (step !== undefined) navigate(linkToThread(place, { at: step.checkpointId }));
  };
  return (
    <>
      <p class="dim">
        {hasMore
          ? `The newest ${countText(steps.length, "checkpoint")}`
          : countText(steps.length, "checkpoint")}
        , the oldest on the left. <MoreButton list={story}>Show older ones</MoreButton>
      </p>
      <Tokens {...{ steps, choose }} />
      <Times {...{ steps, choose }} />
      <h2>Bytes</h2>
      {bytes.error !== null && <Failure error={bytes.error} onRetry={() => void bytes.refetch()} />}
      {bytes.data === undefined && bytes.error === null && <Loading what="the bytes" />}
      {bytes.data !== undefined && <BytesOf {...{ steps, choose }} all={bytes.data.steps} />}
      <details>
        <summary>Figures as a table</summary>
        <StepsTable {...{ place, steps, byCheckpoint }} />
      </details>
    </>
  );
}

interface ChartProps {
  /** The oldest first. */
  readonly steps: readonly StoryStep[];
  readonly choose: (index: number) => void;
}

function Tokens({ steps, choose }: ChartProps) {
  const series = useMemo(
    () => [
      { className: "tokens-input", data: steps.map(({ ran }) => ran?.tokens?.input ?? 0) },
      { className: "tokens-output", data: steps.map(({ ran }) => ran?.tokens?.output ?? 0) },
    ],
    [steps],
  );
  const [input = 0, output = 0] = series.map(({ data }) => data.reduce((sum, count) => sum + count, 0));
  return (
    <>
      <h2>Tokens</h2>
      {input + output === 0 ? (
        <p class="dim">No message tells its tokens.</p>
      ) : (
        <>
          <BarsLegend kinds={TOKENS} />
          <Bars {...{ series, direction: "columns", height: CHART_HEIGHT }} onChoose={choose} />
          <p class="dim">
            {formatCount(input)} in and {formatCount(output)} out.
          </p>
        </>
      )}
    </>
  );
}

function Times({ steps, choose }: ChartProps) {
  const { series, longest, sum } = useMemo(() => timesOf(steps), [steps]);
  return (
    <>
      <h2>Time</h2>
      <BarsLegend kinds={TIMES} />
      <Bars {...{ series, direction: "columns", height: CHART_HEIGHT }} onChoose={choose} />
      <p class="dim">
        {durationText(sum)} without waits. The longest step took {durationText(longest)}.
      </p>
    </>
  );
}

/** A wait may take days, so its bar is as high as the longest step that did not wait. */
function timesOf(steps: readonly StoryStep[]) {
  const ran = steps.map(({ tookMs = 0, waitedFor }) => (waitedFor === undefined ? tookMs : 0));
  const longest = ran.reduce((most, ms) => Math.max(most, ms), 0);
  const waited = steps.map(({ tookMs = 0, waitedFor }) =>
    waitedFor === undefined ? 0 : Math.min(tookMs, Math.max(longest, 1)),
  );
  return {
    series: [
      { className: "time-ran", data: ran },
      { className: "time-waited", data: waited },
    ],
    ...{ longest, sum: ran.reduce((all, ms) => all + ms, 0) },
  };
}

interface BytesOfProps extends ChartProps {
  readonly all: readonly StepBytes[];
}

/** The bytes of the steps, or of all checkpoints in groups where there are too many to know each. */
function BytesOf({ steps, choose, all }: BytesOfProps) {
  const isExact = all.every(({ checkpoints }) => checkpoints === 1);
  const parts = useMemo(() => {
    const byCheckpoint = new Map(all.map((each) => [each.checkpointId, each]));
    return isExact ? steps.map(({ checkpointId }) => byCheckpoint.get(checkpointId) ?? NO_BYTES) : all;
  }, [steps, all]);
  return (
    <>
      <BytesLegend />
      <BytesChart
        {...{ parts, direction: "columns", height: CHART_HEIGHT }}
        {...(isExact && { onChoose: choose })}
      />
      <p class="dim">
        {isExact
          ? "What each checkpoint has added."
          : `What all checkpoints have added, in ${countText(all.length, "group")}, since there are many.`}
      </p>
    </>
  );
}

interface StepsTableProps {
  readonly place: NamespacePlace;
  readonly steps: readonly StoryStep[];
  readonly byCheckpoint: ReadonlyMap<string, StepBytes>;
}

function StepsTable({ place, steps, byCheckpoint }: StepsTableProps) {
  return (
    <Figures
      caption="Tokens, time and bytes by step"
      columns={["Step", "Nodes", "Tokens in", "Tokens out", "Time", "Bytes"]}
    >
      {steps.map(({ checkpointId, step, source, ran, tookMs, waitedFor }) => {
        const bytes = byCheckpoint.get(checkpointId);
        return (
          <tr key={checkpointId}>
            <th scope="row">
              <a href={linkToThread(place, { at: checkpointId })}>{step ?? checkpointId}</a>
            </th>
            <td>
              {nodeCountsOf(ran?.tasks ?? [], 0).map(([node]) => (
                <div key={node}>
                  <bdi>{nodeName(node)}</bdi>
                </div>
              ))}
              {(ran === undefined || ran.tasks.length === 0) && <bdi class="dim">{source}</bdi>}
            </td>
            <td>{ran?.tokens !== undefined && formatCount(ran.tokens.input)}</td>
            <td>{ran?.tokens !== undefined && formatCount(ran.tokens.output)}</td>
            <td>
              {tookMs !== undefined && durationText(tookMs)}
              {waitedFor !== undefined && " with a wait"}
            </td>
            <td>{bytes?.checkpoints === 1 && <Bytes bytes={allBytesOf(bytes)} />}</td>
          </tr>
        );
      })}
    </Figures>
  );
}
