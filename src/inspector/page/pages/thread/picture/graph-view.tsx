import { useMemo, useState } from "preact/hooks";
import type { GraphPicture, PictureNode } from "../../../../api/picture.js";
import type { NamespacePlace } from "../../../../api/places.js";
import type { HistoryPoint, ThreadStatus } from "../../../../api/threads.js";
import { GraphChoice, graphToRun } from "../../../parts/graph-choice.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { useRead } from "../../../server/use-read.js";
import { isolated } from "../../../shell/page-title.js";
import { layOutGraph, type PlacedGroup, type PlacedNode } from "./lay-out.js";
import { nodeName } from "../../../parts/words.js";
import "./picture.css";

interface GraphViewProps {
  readonly place: NamespacePlace;
  readonly point: HistoryPoint;
  /** Whether the checkpoint is the newest. */
  readonly isHead: boolean;
}

/** The picture of the graph that a thread belongs to, with the nodes that run after a checkpoint. */
export function GraphView({ place: { threadId }, point: { checkpointId }, isHead }: GraphViewProps) {
  const graphs = useRead("graphs", { threadId, checkpointId }, { keepPrevious: true });
  const [chosen, setChosen] = useState<string>();
  const graph = graphToRun(graphs.data, chosen);
  const picture = useRead(
    "graphPicture",
    { threadId, checkpointId, graph: graph ?? "", isOlder: !isHead },
    { enabled: graph !== undefined, keepPrevious: true },
  );
  const error = graphs.error ?? picture.error;
  return (
    <div class="graph-view">
      {error !== null && (
        <Failure error={error} onRetry={() => void (graphs.error === null ? picture : graphs).refetch()} />
      )}
      {graphs.data !== undefined && graphs.data.graph === undefined && (
        <GraphChoice {...graphs.data} chosen={chosen} onChoose={setChosen} />
      )}
      {graph !== undefined && picture.data !== undefined && error === null && <Picture {...picture.data} />}
      {(graphs.isLoading || picture.isLoading) && error === null && <Loading what="the graph" />}
    </div>
  );
}

/** What is said of a node where the thread goes on. */
const WORDS: Readonly<Record<ThreadStatus, string>> = {
  interrupted: "waits here",
  failed: "failed here",
  pending: "runs next",
  done: "ran next",
};

function Picture(picture: GraphPicture) {
  const { width, height, groups, nodes, edges } = useMemo(() => layOutGraph(picture), [picture]);
  const word = WORDS[picture.status];
  const state = `picture-${picture.status}`;
  return (
    <>
      <p class="dim">
        {edges.some(({ isConditional }) => isConditional) &&
          "The graph decides in each run whether it takes a dashed edge. "}
        {picture.hasMore && "The graph has more nodes and edges than are drawn."}
      </p>
      {/* It scrolls, so that it can have the focus. */}
      <div class={`picture ${state}`} role="region" aria-label="Picture of the graph" tabIndex={0}>
        <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
          <defs>
            <marker
              id="picture-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto"
            >
              <path d="M0,0 L8,4 L0,8 z" />
            </marker>
          </defs>
          {groups.map((group) => (
            <Group key={group.id} {...group} />
          ))}
          {edges.map(({ path, isConditional }, index) => (
            <path
              key={index}
              class={`picture-edge${isConditional ? " picture-conditional" : ""}`}
              d={path}
              marker-end="url(#picture-arrow)"
            />
          ))}
          {groups.map((group) => (
            <GroupName key={group.id} {...group} word={word} />
          ))}
          {edges.map(
            ({ name }, index) =>
              name !== undefined && (
                <text key={index} class="picture-name picture-edge-name" x={name.x} y={name.y + 4}>
                  {isolated(name.text)}
                </text>
              ),
          )}
          {nodes.map((node) => (
            <Node key={node.id} {...node} word={word} />
          ))}
        </svg>
        <Listed {...picture} word={word} />
      </div>
    </>
  );
}

function Group({ x, y, width, height, isCurrent }: PlacedGroup) {
  const box = { x: x - width / 2, y: y - height / 2, width, height };
  return (
    <g class={isCurrent ? "picture-current" : undefined}>
      <rect class="picture-group" {...box} rx={8} />
    </g>
  );
}

/** The name of a group stands above it, and in front of the edges. */
function GroupName({ x, y, width, height, text, isCurrent, word }: PlacedGroup & Said) {
  return (
    <text class="picture-name" x={x - width / 2 + 2} y={y - height / 2 - 6}>
      {isolated(text)}
      {isCurrent && <tspan class="picture-word"> ● {word}</tspan>}
    </text>
  );
}

/** What is said where the thread goes on. */
interface Said {
  readonly word: string;
}

function Node({ name, x, y, width, height, text, isCurrent, word }: PlacedNode & Said) {
  if (text === "") return <circle class="picture-dot" cx={x} cy={y} r={width / 2} />;
  const isEnd = name === "__start__" || name === "__end__";
  return (
    <g class={`picture-node${isCurrent ? " picture-current" : ""}${isEnd ? " picture-end" : ""}`}>
      <rect x={x - width / 2} y={y - height / 2} {...{ width, height }} rx={isEnd ? height / 2 : 6} />
      <text x={x} y={isCurrent ? y - 4 : y + 4}>
        {isolated(text)}
      </text>
      {isCurrent && (
        <text class="picture-word" x={x} y={y + 14}>
          ● {word}
        </text>
      )}
    </g>
  );
}

/** The same as the picture, as a list for those who don't see it. */
function Listed({ nodes, edges, next, word }: GraphPicture & Said) {
  const byId = new Map(nodes.map(({ id, name, parent }) => [id, { name, parent }]));
  return (
    <ul class="sr-only" aria-label="Nodes of the graph">
      {nodes.map(({ id, name, parent }) => (
        <li key={id}>
          <NodeIn {...{ name, parent }} />
          {parent === undefined && next.includes(name) && `, ${word}`}
          {edges
            .filter(({ from }) => from === id)
            .map(({ to, isConditional, label }, index) => (
              <span key={index}>
                {index === 0 ? ": leads to " : ", "}
                <NodeIn name="" {...byId.get(to)} />
                {isConditional && " if the graph decides so"}
                {label !== undefined && (
                  <>
                    {" "}
                    (<bdi>{label}</bdi>)
                  </>
                )}
              </span>
            ))}
        </li>
      ))}
    </ul>
  );
}

/** The name of a node, with the node that it is in. */
function NodeIn({ name, parent }: Pick<PictureNode, "name"> & { readonly parent?: string | undefined }) {
  return (
    <>
      <bdi>{nodeName(name)}</bdi>
      {parent !== undefined && (
        <>
          {" "}
          in <bdi>{parent}</bdi>
        </>
      )}
    </>
  );
}
