import { useMemo, useState } from "preact/hooks";
import type { NamespacePlace } from "../../../../api/places.js";
import type { StoryStep, StoryTask, StoryTasks, StoryTool } from "../../../../api/story.js";
import type { NamespaceSummary } from "../../../../api/threads.js";
import { durationText, countText, formatCount } from "../../../parts/number-texts.js";
import { Failure, Loading } from "../../../parts/read-state.js";
import { StatusBadge } from "../../../parts/status-badge.js";
import { linkToThread } from "../../../routes/route.js";
import { useRead } from "../../../server/use-read.js";
import { nodeName } from "../../../parts/words.js";
import { nodeCountsOf, rowsOf } from "./story-rows.js";
import { type StepSubgraph, type StepTime, subgraphsOf, stepTimeOf } from "./subgraphs-of.js";

const SUBGRAPH_STEPS = 50;
const REFRESH_MS = 3_000;

/** Where a step is. */
export interface StepContext {
  readonly place: NamespacePlace;
  /** The namespaces of the thread. */
  readonly namespaces: readonly NamespaceSummary[];
}

interface StepTitleProps {
  readonly step: StoryStep;
  /** Whether it is about what has begun after the step. */
  readonly isOpen: boolean;
  /** The step that it goes on from, where that is not the one before it in time. */
  readonly from?: StoryStep | undefined;
}

/** Names a step: its number, its nodes and its time. */
export function StepTitle({ step, isOpen, from }: StepTitleProps) {
  const { tookMs, waitedFor } = step;
  return (
    <>
      <span class="story-number dim">
        {!isOpen ? numberOf(step) : step.open?.status === "done" ? "last" : "next"}
      </span>
      <span class="story-nodes">
        <Nodes step={step} tasks={isOpen ? step.open : step.ran} isOpen={isOpen} />
        {from !== undefined && <span class="story-from dim"> after {numberOf(from)}</span>}
      </span>
      {!isOpen && tookMs !== undefined && (
        <span class="story-took">
          {durationText(tookMs)}
          {waitedFor !== undefined && (
            <span class="dim">
              {" "}
              {waitedFor === "person" ? "with the wait for an answer" : "between runs"}
            </span>
          )}
        </span>
      )}
    </>
  );
}

function numberOf({ step }: StoryStep): string {
  return step === undefined ? "–" : `step ${step}`;
}

function Nodes({
  step: { source },
  tasks,
  isOpen,
}: {
  readonly step: StoryStep;
  readonly tasks: StoryTasks | undefined;
  readonly isOpen: boolean;
}) {
  if (!isOpen && source === "input") return <>Input</>;
  if (!isOpen && source === "update") return <>Values changed</>;
  if (!isOpen && source === "fork") return <>New branch</>;
  if (tasks === undefined || tasks.tasks.length === 0) return <span class="dim">unknown</span>;
  return (
    <>
      {nodeCountsOf(tasks.tasks, tasks.omitted).map(([node, count], index) => (
        <span key={node}>
          {index > 0 && ", "}
          {node === "" ? countText(count, "other task") : <bdi>{nodeName(node)}</bdi>}
          {node !== "" && count > 1 && ` × ${formatCount(count)}`}
        </span>
      ))}
    </>
  );
}

interface StepBodyProps extends StepContext, StepTitleProps {}

/** What the tasks of a step have done: tools, tokens, messages, errors, questions and subgraphs. */
export function StepBody({ place, namespaces, step, isOpen }: StepBodyProps) {
  const told = isOpen ? step.open : step.ran;
  const time = stepTimeOf(step, isOpen);
  // A thread may have a thousand namespaces, and each scroll draws the rows again.
  const subgraphs = useMemo(
    () => (told === undefined ? [] : subgraphsOf(namespaces, told, { namespace: place.namespace, time })),
    [namespaces, told, place.namespace],
  );
  if (told === undefined) return null;
  const { tools, tokens, messageCount, tasks, isPartial } = told;
  // Several may have been answered by different people, the last of whom has started the run that made the step.
  const questionCount = tasks.flatMap(({ questions }) => questions).length;
  const hasFacts = tools.length > 0 || tokens !== undefined || messageCount > 0 || isPartial;
  return (
    <>
      {hasFacts && (
        <p class="story-facts">
          {tools.map((tool, index) => (
            <Tool key={index} tool={tool} />
          ))}
          {tokens !== undefined && (
            <span class="dim">
              {formatCount(tokens.input)} tokens in, {formatCount(tokens.output)} out
            </span>
          )}
          {messageCount > 0 && <span class="dim">+ {countText(messageCount, "message")}</span>}
          {isPartial && <span class="dim">some values were not read</span>}
        </p>
      )}
      {tasks.map((task, index) => (
        <TaskEvents
          key={task.taskIds[0] ?? index}
          {...{ task, isOpen }}
          answeredBy={isOpen || questionCount !== 1 ? undefined : step.answeredBy}
        />
      ))}
      {subgraphs.map((subgraph) => (
        <Subgraph
          key={subgraph.summary.namespace}
          {...{ subgraph, time, place, namespaces }}
          leadsTo={tasks.find(({ taskIds }) => taskIds.some((id) => isOfTask(subgraph, id)))?.leadsTo ?? []}
        />
      ))}
    </>
  );
}

/** The namespace of a subgraph has the id of the task that called it. */
function isOfTask({ summary: { namespace } }: StepSubgraph, taskId: string): boolean {
  return namespace.includes(`:${taskId}`);
}

const OUTCOMES = { called: "calls", done: "✓", failed: "✗" } as const;
const OUTCOME_WORDS = { called: "calls", done: "done", failed: "failed" } as const;

function Tool({ tool: { name, outcome } }: { readonly tool: StoryTool }) {
  return (
    <span class={`story-tool story-tool-${outcome}`}>
      <span aria-hidden="true">{OUTCOMES[outcome]}</span>
      <span class="sr-only">{OUTCOME_WORDS[outcome]} tool</span>{" "}
      <bdi class="mono">{name === "" ? "a tool" : name}</bdi>
    </span>
  );
}

/** The error and the questions of a task. */
function TaskEvents({
  task,
  isOpen,
  answeredBy,
}: {
  readonly task: StoryTask;
  readonly isOpen: boolean;
  /** Who answered the questions, if that is known. */
  readonly answeredBy: string | undefined;
}) {
  const { error, questions, isDone, isAnswered, node, handedOver } = task;
  return (
    <>
      {handedOver === true && <p class="story-event">Handed over to the parent graph</p>}
      {error !== undefined && (
        <p class="story-event story-failed">
          <strong>{isDone ? "Failed once" : "Failed"}</strong>
          {node !== undefined && (
            <>
              {" "}
              in <bdi>{nodeName(node)}</bdi>
            </>
          )}
          :{" "}
          <bdi>
            {error.name === undefined ? "" : `${error.name}: `}
            {error.text}
          </bdi>
          {isDone && <em>, then went on</em>}
        </p>
      )}
      {questions.map((question) => (
        <p class="story-event story-asked" key={`${question.taskId} ${question.path?.join(".")}`}>
          <strong>{isOpen && !isAnswered ? "Asks" : "Asked"}</strong>: <bdi>{question.text}</bdi>
          {isAnswered && (
            <>
              <br />
              <strong>Answered</strong>
              {answeredBy !== undefined && (
                <>
                  {" "}
                  by <bdi>{answeredBy}</bdi>
                </>
              )}
              {question.answer !== undefined && (
                <>
                  : <bdi>{question.answer}</bdi>
                </>
              )}
            </>
          )}
        </p>
      ))}
    </>
  );
}

interface SubgraphProps extends StepContext {
  readonly subgraph: StepSubgraph;
  readonly time: StepTime;
  /** The nodes that the task has started. */
  readonly leadsTo: readonly string[];
}

/** The run of a subgraph, which opens to its own steps. */
function Subgraph({ subgraph: { summary, name }, leadsTo, time, place, namespaces }: SubgraphProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="story-subgraph"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        Subgraph <bdi>{name}</bdi> <span class="dim">{countText(summary.checkpoints, "checkpoint")}</span>{" "}
        <StatusBadge {...summary} />
        {summary.handedOver === true && leadsTo.length > 0 && (
          <>
            {" "}
            to <bdi>{leadsTo.map(nodeName).join(", ")}</bdi>
          </>
        )}
      </summary>
      {isOpen && (
        <SubgraphSteps
          {...{ time, namespaces }}
          place={{ threadId: place.threadId, namespace: summary.namespace }}
          isActive={summary.status === "pending"}
        />
      )}
    </details>
  );
}

interface SubgraphStepsProps extends StepContext {
  readonly time: StepTime;
  readonly isActive: boolean;
}

function SubgraphSteps({ place, namespaces, time: { after = "", before }, isActive }: SubgraphStepsProps) {
  const { data, error, refetch } = useRead(
    "story",
    { ...place, before, limit: SUBGRAPH_STEPS },
    isActive ? { refreshMs: REFRESH_MS } : {},
  );
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the subgraph" />;
  const steps = data.steps.filter(({ checkpointId }) => checkpointId > after);
  return (
    <>
      <ol class="story-inner">
        {rowsOf(steps).map((row) =>
          row.kind === "run" ? null : (
            <li key={row.key} class="story-step">
              <p class="story-title">
                <StepTitle
                  step={row.step}
                  isOpen={row.kind === "open"}
                  from={row.kind === "step" ? row.from : undefined}
                />
              </p>
              <StepBody {...{ place, namespaces }} step={row.step} isOpen={row.kind === "open"} />
            </li>
          ),
        )}
      </ol>
      <p>
        <a href={linkToThread(place)}>
          {data.hasMore && steps.length === data.steps.length ? "Older steps" : "Open the subgraph"}
        </a>
      </p>
    </>
  );
}
