import { Failure, Loading } from "../../parts/read-state.js";
import { linkTo, linkToThread, linkToCheckpoint, navigate } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { MeasuredSection } from "./measured-storage.js";
import type { StepBytes } from "../../../api/storage-views.js";
import { countText, formatBytes, formatCount } from "../../parts/number-texts.js";
import {
  BytesChart,
  BytesLegend,
  allBytesOf,
  PART_COLUMNS,
  PartCells,
} from "../../parts/charts/bytes-chart.js";
import { Bytes, Figures } from "../../parts/charts/figures.js";

interface OneThreadProps {
  readonly threadId: string;
  readonly namespace: string;
}

/** Measures a thread. */
export function OneThread({ threadId, namespace }: OneThreadProps) {
  const { data, error, refetch } = useRead("storage", { threadId, limit: 30 });
  return (
    <section>
      <h2>
        Thread <bdi>{threadId}</bdi>
      </h2>
      <p class="buttons">
        <a href={linkToThread({ threadId, namespace })}>Show the thread</a>
        <a href={linkTo("storage")}>All threads</a>
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the storage of the thread" />}
      {data !== undefined && (
        <>
          <MeasuredSection measured={data} threadId={threadId} />
          <StepsSection threadId={threadId} namespace={namespace} />
          <ChainsSection threadId={threadId} />
        </>
      )}
    </section>
  );
}

interface StepsSectionProps {
  readonly threadId: string;
  readonly namespace: string;
}

const CHART_HEIGHT = 160;

/** Charts the bytes that each checkpoint of a namespace has added. */
function StepsSection({ threadId, namespace }: StepsSectionProps) {
  const { data, error, refetch } = useRead("stepBytes", { threadId, namespace });
  const linkOf = ({ checkpointId }: StepBytes): string =>
    linkToCheckpoint({ threadId, namespace, checkpointId });
  return (
    <section>
      <h2>Bytes by step</h2>
      <NamespaceChoice {...{ threadId, namespace }} />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the steps" />}
      {data?.steps.length === 0 && <p>The namespace has no checkpoints.</p>}
      {data !== undefined && data.steps.length > 0 && (
        <>
          <BytesLegend />
          <BytesChart
            {...{ parts: data.steps, direction: "columns", height: CHART_HEIGHT }}
            onChoose={(index) => {
              const step = data.steps[index];
              if (step !== undefined) navigate(linkOf(step));
            }}
          />
          <p class="dim">
            Each bar shows what one checkpoint has added, the oldest on the left. The highest bar has{" "}
            {formatBytes(data.steps.reduce((most, step) => Math.max(most, allBytesOf(step)), 0))}.
            {data.otherBytes > 0 && (
              <>
                {" "}
                {formatBytes(data.otherBytes)} belong to no checkpoint: only splices need them, or they were
                left over.
              </>
            )}
          </p>
          <details>
            <summary>Figures</summary>
            <StepsTable steps={data.steps} linkOf={linkOf} />
          </details>
        </>
      )}
    </section>
  );
}

function NamespaceChoice({ threadId, namespace }: StepsSectionProps) {
  const { data } = useRead("thread", { threadId });
  if (data === undefined || data.namespaces.length < 2) return null;
  return (
    <p>
      <label>
        Namespace{" "}
        <select
          value={namespace}
          onChange={({ currentTarget }) => {
            navigate(linkTo("storage", [], { thread: threadId, ns: currentTarget.value }));
          }}
        >
          {data.namespaces.map((each) => (
            <option key={each.namespace} value={each.namespace}>
              {each.namespace === "" ? "(root graph)" : each.namespace}
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}

interface StepsTableProps {
  readonly steps: readonly StepBytes[];
  readonly linkOf: (step: StepBytes) => string;
}

function StepsTable({ steps, linkOf }: StepsTableProps) {
  return (
    <Figures caption="Bytes by step" columns={["Step", ...PART_COLUMNS]}>
      {steps.map((step) => (
        <tr key={step.checkpointId}>
          <th scope="row">
            <a href={linkOf(step)}>{step.step ?? step.checkpointId}</a>
            {step.checkpoints > 1 && (
              <span class="dim"> and {countText(step.checkpoints - 1, "earlier one")}</span>
            )}
          </th>
          <PartCells part={step} />
        </tr>
      ))}
    </Figures>
  );
}

const COLUMNS = ["Channel", "Namespace", "Values", "Splices", "Longest chain", "Stored", "Whole"];

/** The chains of splices in a thread. */
function ChainsSection({ threadId }: { readonly threadId: string }) {
  const { data, error, refetch } = useRead("chains", { threadId });
  const spliced = data?.channels.filter(({ splices }) => splices > 0) ?? [];
  return (
    <section>
      <h2>Chains</h2>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the chains" />}
      {data !== undefined && spliced.length === 0 && <p>All values of the thread are stored whole.</p>}
      {spliced.length > 0 && (
        <>
          <p class="dim">
            A splice holds what is new against an earlier value. A read follows its chain to a whole value.
          </p>
          <Figures caption="Chains of splices" columns={COLUMNS}>
            {spliced.map((row) => (
              <tr key={JSON.stringify([row.namespace, row.channel])}>
                <th scope="row">
                  <bdi>{row.channel}</bdi>
                </th>
                <td>
                  <bdi>{row.namespace === "" ? "(root graph)" : row.namespace}</bdi>
                </td>
                <td>{formatCount(row.versions)}</td>
                <td>{formatCount(row.splices)}</td>
                <td>{formatCount(row.longest)}</td>
                <td>
                  <Bytes bytes={row.storedBytes} />
                </td>
                <td>
                  <Bytes bytes={row.wholeBytes} />
                </td>
              </tr>
            ))}
          </Figures>
        </>
      )}
    </section>
  );
}
