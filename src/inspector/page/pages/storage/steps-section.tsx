import type { StepBytes } from "../../../api/storage-views.js";
import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { counted, formatBytes } from "../../parts/number-texts.js";
import { linkTo, linkToCheckpoint } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { useRead } from "../../server/use-read.js";
import { BytesChart, BytesLegend } from "../../parts/charts/bytes-chart.js";
import { Bytes, Figures } from "../../parts/charts/figures.js";
import { bytesOf, PART_NAMES } from "../../parts/charts/part-bytes.js";

interface StepsSectionProps {
  readonly threadId: string;
  readonly namespace: string;
}

const CHART_HEIGHT = 160;

/** Charts the bytes that each checkpoint of a namespace has added. */
export function StepsSection({ threadId, namespace }: StepsSectionProps) {
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
            {formatBytes(data.steps.reduce((most, step) => Math.max(most, bytesOf(step)), 0))}.
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
  const columns = ["Step", ...PART_NAMES.map(([, name]) => name), "In all"];
  return (
    <Figures caption="Bytes by step" columns={columns}>
      {steps.map((step) => (
        <tr key={step.checkpointId}>
          <th scope="row">
            <a href={linkOf(step)}>{step.step ?? step.checkpointId}</a>
            {step.checkpoints > 1 && (
              <span class="dim"> and {counted(step.checkpoints - 1, "earlier one")}</span>
            )}
          </th>
          {PART_NAMES.map(([name]) => (
            <td key={name}>
              <Bytes bytes={step[name]} />
            </td>
          ))}
          <td>
            <Bytes bytes={bytesOf(step)} />
          </td>
        </tr>
      ))}
    </Figures>
  );
}
