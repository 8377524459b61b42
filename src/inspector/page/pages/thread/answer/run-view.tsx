import type { OpenThread } from "../../../../api/runs.js";
import { nodeName } from "../../../parts/words.js";
import { Failure } from "../../../parts/read-state.js";
import type { RunProgress } from "../../../server/use-run.js";

/** Nodes that LangChain adds around those that an application knows. */
const INNER_NODE = /\.(?:before|after)_(?:agent|model)$/;

interface RunViewProps {
  readonly progress: RunProgress;
  /** The state of the thread. */
  readonly status: OpenThread["status"] | undefined;
}

/** What a run does. What models have written is in the conversation when it has ended. */
export function RunView({ progress: { phase, nodes, texts, error }, status }: RunViewProps) {
  const named = nodes.filter((node) => !INNER_NODE.test(node));
  const isUnderWay = phase === "asked" || phase === "running";
  return (
    <div class="run" aria-busy={isUnderWay}>
      {phase === "failed" && <Failure error={error} />}
      <p role="status">
        {phase === "asked" && "Starting the run…"}
        {phase === "running" && "The run is under way…"}
        {phase === "ended" &&
          (status === "interrupted" ? "The run has stopped to ask." : "The run has ended.")}
      </p>
      {named.length > 0 && (
        <ol class="run-nodes" aria-label="Nodes that have ended">
          {named.map((node, at) => (
            <li key={at}>
              <bdi>{nodeName(node)}</bdi>
            </li>
          ))}
        </ol>
      )}
      {isUnderWay &&
        [...texts].map(([id, text]) => (
          <p key={id} class="run-text">
            <bdi>{text}</bdi>
          </p>
        ))}
    </div>
  );
}
