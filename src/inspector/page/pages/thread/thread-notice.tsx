import type { CheckpointPlace, NamespacePlace, ValuePlace } from "../../../api/places.js";
import type { StoryError, StoryQuestion, StoryStep, WrittenText } from "../../../api/story.js";
import type { NamespaceSummary } from "../../../api/threads.js";
import { prettyJson } from "../../parts/json-text.js";
import { LongText } from "../../parts/long-text.js";
import { countText } from "../../parts/number-texts.js";
import { linkToThread } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";
import { useRead } from "../../server/use-read.js";
import { subgraphsOf, stepTimeOf } from "./story/subgraphs-of.js";
import "./thread-notice.css";

/** The most characters of a text that are shown at once. */
const MAX_SHOWN = 4_000;
/** The most tasks that are shown. A step may have hundreds. */
const MAX_TASKS = 10;

interface ThreadNoticeProps {
  readonly place: NamespacePlace;
  /** The newest step. */
  readonly step: StoryStep;
  readonly namespaces: readonly NamespaceSummary[];
}

/** What a thread waits for, or why it failed, so that nobody has to look for it. */
export function ThreadNotice({ place, step, namespaces }: ThreadNoticeProps) {
  const { open } = step;
  if (open === undefined || open.status === "done") return null;
  if (open.status === "pending") {
    // A process may have ended before the graph could take over what its subgraph has stored.
    const time = stepTimeOf(step, true);
    const subgraphs = subgraphsOf(namespaces, open, { namespace: place.namespace, time });
    const [stuck] = subgraphs.filter(
      ({ summary: { status, checkpointId } }) =>
        (status === "interrupted" || status === "failed") && checkpointId > step.checkpointId,
    );
    if (stuck === undefined) return null;
    const { namespace } = stuck.summary;
    return <SubgraphNotice place={{ threadId: place.threadId, namespace }} namespaces={namespaces} />;
  }
  const checkpoint = { ...place, checkpointId: step.checkpointId };
  const waiting = open.tasks.filter(({ isDone }) => !isDone);
  const failed = waiting.filter(({ error }) => error !== undefined);
  const asking = waiting.filter(({ questions, error }) => questions.length > 0 && error === undefined);
  const left = Math.max(0, failed.length - MAX_TASKS) + Math.max(0, asking.length - MAX_TASKS);
  return (
    <section class={`notice notice-${open.status}`} aria-label="What the thread waits for">
      {failed.slice(0, MAX_TASKS).map(({ node, error, taskIds }) => (
        <div key={taskIds[0]}>
          <h2>
            <Node node={node}>Failed in</Node>
          </h2>
          {error !== undefined && <FailedWith {...{ checkpoint, error }} />}
        </div>
      ))}
      {asking.slice(0, MAX_TASKS).map(({ node, questions, taskIds }) => (
        <div key={taskIds[0]}>
          <h2>
            <Node node={node}>Waits for an answer in</Node>
          </h2>
          {questions.map((question) => (
            <Question key={`${question.taskId} ${question.path?.join(".")}`} {...{ checkpoint, question }} />
          ))}
        </div>
      ))}
      {left > 0 && <p class="dim">{countText(left, "more task", "more tasks")}: see the steps.</p>}
    </section>
  );
}

function SubgraphNotice({ place, namespaces }: Omit<ThreadNoticeProps, "step">) {
  const { data } = useRead("story", { ...place, limit: 1 });
  const step = data?.steps[0];
  if (step === undefined) return null;
  return (
    <>
      <ThreadNotice {...{ place, step, namespaces }} />
      <p>
        <a href={linkToThread(place)}>Open the subgraph</a>
      </p>
    </>
  );
}

function Node({ node, children }: { readonly node: string | undefined; readonly children: string }) {
  return (
    <>
      {children} {node === undefined ? "a task" : <bdi class="mono">{node}</bdi>}
    </>
  );
}

interface FailedWithProps {
  readonly checkpoint: CheckpointPlace;
  readonly error: StoryError;
}

function FailedWith({ checkpoint, error }: FailedWithProps) {
  return (
    <>
      {error.name !== undefined && (
        <p class="notice-name">
          <bdi class="mono">{error.name}</bdi>
        </p>
      )}
      <Written {...{ checkpoint }} text={error} />
    </>
  );
}

interface QuestionProps {
  readonly checkpoint: CheckpointPlace;
  readonly question: StoryQuestion;
}

function Question({ checkpoint, question }: QuestionProps) {
  const { may } = useOverview();
  return (
    <>
      <Written {...{ checkpoint }} text={question} />
      {question.details !== undefined && (
        <details open={question.isReview !== true || !may.answer}>
          <summary>All of the question</summary>
          <pre class="long-text notice-details">
            <bdi>{prettyJson(question.details) ?? question.details}</bdi>
          </pre>
        </details>
      )}
    </>
  );
}

/** A text of a write. What is cut comes with a click. */
function Written({ checkpoint, text }: { readonly checkpoint: CheckpointPlace; readonly text: WrittenText }) {
  const { taskId, idx, path } = text;
  const place: ValuePlace = { kind: "write", ...checkpoint, taskId, idx };
  // The rest can be read only where one text of the write is shown.
  const start = path === undefined ? text.text : startOf(text.text);
  const isCut = path !== undefined && (text.isCut || start.length < text.text.length);
  return (
    <LongText
      key={JSON.stringify(place)}
      {...{ place }}
      path={path ?? []}
      value={{ type: "string", text: start, isCut }}
    />
  );
}

/** The beginning of a long text, which does not end between the halves of a character. */
function startOf(text: string): string {
  return text.length <= MAX_SHOWN ? text : text.slice(0, MAX_SHOWN).replace(/[\uD800-\uDBFF]$/, "");
}
