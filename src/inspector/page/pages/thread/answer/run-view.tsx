import { Failure } from "../../../parts/failure.js";
import type { RunProgress } from "../../../parts/runs/use-run.js";

/** What a run does. */
export function RunView({ progress: { phase, nodes, texts, error } }: { readonly progress: RunProgress }) {
  return (
    <div class="run" aria-busy={phase === "asked" || phase === "running"}>
      {phase === "failed" && <Failure error={error} />}
      <p role="status">
        {phase === "asked" && "Starting the run…"}
        {phase === "running" && "The run is under way…"}
        {phase === "ended" && "The run has ended."}
      </p>
      {nodes.length > 0 && (
        <ol class="run-nodes" aria-label="Nodes that have ended">
          {nodes.map((node, at) => (
            <li key={at}>
              <bdi class="mono">{node}</bdi>
            </li>
          ))}
        </ol>
      )}
      {[...texts].map(([id, text]) => (
        <p key={id} class="run-text">
          <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  );
}
