import type { CheckpointPlace, NamespacePlace } from "../../../api/places.js";
import type { StoryError, StoryQuestion, StoryStep } from "../../../api/story.js";
import type { NamespaceSummary } from "../../../api/threads.js";
import { countText } from "../../parts/number-texts.js";
import { linkToThread } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";
import { useRead } from "../../server/use-read.js";
import { ANSWER_ID } from "./answer/answer-panel.js";
import { QuestionText, Written } from "./answer/question-text.js";
import { subgraphsOf, stepTimeOf } from "./story/subgraphs-of.js";
import "./thread-notice.css";

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
          <h2>Failed in {node === undefined ? "a task" : <bdi class="mono">{node}</bdi>}</h2>
          {error !== undefined && <FailedWith {...{ checkpoint, error }} />}
        </div>
      ))}
      {asking.length > 0 && (
        <Asking
          {...{ checkpoint }}
          questions={asking.slice(0, MAX_TASKS).flatMap(({ questions }) => questions)}
        />
      )}
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

interface AskingProps {
  readonly checkpoint: CheckpointPlace;
  readonly questions: readonly StoryQuestion[];
}

/** What is asked: in a line where the page has all of it beside the answer, which is given to the root graph. */
function Asking({ checkpoint, questions }: AskingProps) {
  const { may } = useOverview();
  const { threadId, namespace } = checkpoint;
  if (namespace !== "") {
    return (
      <>
        <h2>Waits for an answer</h2>
        {questions.map((question) => (
          <QuestionText
            key={`${question.taskId} ${question.path?.join(".")}`}
            {...{ checkpoint, question }}
          />
        ))}
        <p>
          <a href={linkToThread({ threadId, namespace: "" })}>Go to the root graph, which takes the answer</a>
        </p>
      </>
    );
  }
  const [first] = questions;
  const more = questions.length > 1 ? ` (and ${countText(questions.length - 1, "more question")})` : "";
  return (
    <p class="notice-line">
      <strong>{may.answer ? "Waits for your answer" : "Waits for an answer"}</strong>
      <span class="notice-question">
        <bdi>{first?.text}</bdi>
        {more}
      </span>
      <a
        class="button"
        href={linkToThread({ threadId, namespace: "" })}
        onClick={() => {
          document.getElementById(ANSWER_ID)?.focus();
        }}
      >
        {may.answer ? "Answer" : "Show the question"}
      </a>
    </p>
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
