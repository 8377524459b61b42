import type { ThreadGraphs } from "../../api/runs.js";
import { typed } from "./typed-text.js";

interface GraphChoiceProps extends ThreadGraphs {
  /** What a person has chosen. */
  readonly chosen: string | undefined;
  readonly onChoose: (graph: string) => void;
}

/** Returns the graph that would run: the one that the thread belongs to, else what a person has chosen among those that may go on. */
export function graphToRun(thread: ThreadGraphs | undefined, chosen: string | undefined): string | undefined {
  return thread?.graph ?? thread?.graphs.find(({ name }) => name === chosen)?.name;
}

/** Says which graph runs and why, or asks for it where nothing tells. */
export function GraphChoice({ graphs, graph, reason, chosen, onChoose }: GraphChoiceProps) {
  if (graph !== undefined || graphs.length === 0) return <p class="dim">{reason}</p>;
  return (
    <>
      <p>{reason}</p>
      <label class="action-field">
        <span>Graph</span>
        <select value={chosen ?? ""} onChange={typed(onChoose)}>
          <option value="" disabled>
            choose the graph of this thread
          </option>
          {graphs.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </>
  );
}
