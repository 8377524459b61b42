import { useEffect, useId, useState } from "preact/hooks";
import type { CheckpointPlace } from "../../../../api/places.js";
import type { Answer, OpenThread, Question, ReviewedAction, RunRequest } from "../../../../api/runs.js";
import { Failure } from "../../../parts/read-state.js";
import { useOverview } from "../../../server/overview-context.js";
import { useRead } from "../../../server/use-read.js";
import { GraphChoice, graphToRun } from "../../../parts/graph-choice.js";
import { useRun } from "../../../server/use-run.js";
import { DecisionsForm } from "./decisions-form.js";
import { QuestionText } from "./question-text.js";
import { ReviewedCall } from "./reviewed-call.js";
import { RunView } from "./run-view.js";
import { formFieldsOf, SchemaForm } from "./schema-form.js";
import { typedJson } from "../../../parts/json-text.js";
import "./answer.css";
import { sent } from "../../../parts/typed-text.js";

interface AnswerPanelProps {
  readonly threadId: string;
  /** Changes when the thread has stored something. */
  readonly version: string;
  /** Whether a task has asked something, as far as the history tells. */
  readonly isAsking: boolean;
}

/** The id of the panel, which the notice of the thread leads to. */
export const ANSWER_ID = "answer";

/** Shows what a thread asks, and lets whoever may answer it, repeat what failed, and let a run go on that was stopped. */
export function AnswerPanel({ threadId, version, isAsking }: AnswerPanelProps) {
  const { may } = useOverview();
  const enabled = may.answer || may.continue || isAsking;
  const { data, error, refetch } = useRead("openThread", { threadId }, { enabled });
  const { progress, start } = useRun();
  useEffect(() => {
    if (enabled) void refetch();
  }, [version]);
  const isRunning = progress?.phase === "asked" || progress?.phase === "running";
  const canGoOn = may.continue && data?.status !== "interrupted" && data?.status !== "done";
  const hasChoices =
    data?.checkpointId !== undefined &&
    (canGoOn || data.status === "interrupted" || data.questions.length > 0);
  if (error === null && progress === undefined && !hasChoices) return null;
  return (
    <section id={ANSWER_ID} class="answers" aria-label="Let the thread go on" tabIndex={-1}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {progress !== undefined && <RunView progress={progress} status={data?.status} />}
      {hasChoices && (
        // A person who has to correct an answer finds it as it was.
        <div hidden={isRunning}>
          <Choices
            thread={data}
            {...{ threadId, canGoOn }}
            start={(request) => {
              // The form goes away, and the focus would be lost with it.
              document.getElementById(ANSWER_ID)?.focus();
              start(request);
            }}
          />
        </div>
      )}
    </section>
  );
}

interface ChoicesProps {
  readonly threadId: string;
  readonly thread: OpenThread;
  /** Whether the person may let it go on without an answer. */
  readonly canGoOn: boolean;
  readonly start: (request: RunRequest) => void;
}

function Choices({ threadId, thread, canGoOn, start }: ChoicesProps) {
  const { may } = useOverview();
  const [chosen, choose] = useState<string>();
  const { checkpointId = "", status, questions } = thread;
  const graph = graphToRun(thread, chosen);
  const run = (request: Pick<RunRequest, "kind" | "answers">): void => {
    if (graph !== undefined) start({ threadId, graph, checkpointId, ...request });
  };
  return (
    <>
      {(may.answer || canGoOn) &&
        (thread.graph === undefined ? (
          <GraphChoice {...thread} {...{ chosen }} onChoose={choose} />
        ) : (
          <details class="answer-graph dim">
            <summary>
              Runs <bdi class="mono">{thread.graph}</bdi>
            </summary>
            {thread.reason}
          </details>
        ))}
      {questions.map((question, at) => (
        <QuestionAnswer
          key={question.key}
          {...{ question, place: { threadId, namespace: "", checkpointId }, isPossible: graph !== undefined }}
          count={questions.length > 1 ? `Question ${at + 1} of ${questions.length}: ` : ""}
          onAnswer={(given: Answer) => {
            run({ kind: "answer", answers: [given] });
          }}
        />
      ))}
      {status === "interrupted" && questions.length === 0 && (
        <p>The question is too long to be answered here, or this saver can’t read it.</p>
      )}
      {canGoOn && (
        <button
          type="button"
          class="primary"
          disabled={graph === undefined}
          onClick={() => {
            run({ kind: "continue" });
          }}
        >
          {status === "failed" ? "Retry what failed" : "Go on"}
        </button>
      )}
    </>
  );
}

interface QuestionAnswerProps {
  readonly question: Question;
  readonly place: CheckpointPlace;
  /** How many questions there are. */
  readonly count: string;
  /** Whether there is a graph to send the answer to. Without one a form is disabled, and keeps what a person has typed. */
  readonly isPossible: boolean;
  readonly onAnswer: (answer: Answer) => void;
}

/** Asks for the answer to a question: by its form, or by any JSON value where the question does not ask for decisions. */
function QuestionAnswer({ question, place, count, isPossible, onAnswer }: QuestionAnswerProps) {
  const { may } = useOverview();
  const { key, form } = question;
  const [isFree, setFree] = useState(false);
  const title = useId();
  const fields = form.kind === "schema" ? formFieldsOf(form.schema) : undefined;
  const answerWith = (value: unknown): void => {
    onAnswer({ key, value });
  };
  return (
    <div class="answer" role="group" aria-labelledby={title}>
      <h2 id={title}>
        {count}
        {form.kind === "decisions" ? <AskedCalls actions={form.actions} /> : "The agent asks"}
      </h2>
      {form.kind !== "decisions" && <QuestionText {...{ question }} checkpoint={place} />}
      {may.answer ? (
        <fieldset disabled={!isPossible}>
          {form.kind === "decisions" ? (
            <DecisionsForm
              {...{ form }}
              onDecide={(decisions) => {
                onAnswer({ key, decisions });
              }}
            />
          ) : fields !== undefined && !isFree ? (
            <SchemaForm fields={fields} onAnswer={answerWith} />
          ) : (
            <FreeForm onAnswer={answerWith} />
          )}
          {fields !== undefined && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setFree(!isFree);
              }}
            >
              {isFree ? "Use the form" : "Answer with any JSON value"}
            </button>
          )}
        </fieldset>
      ) : (
        form.kind === "decisions" && (
          <div class="answer-form">
            {form.actions.map((action, at) => (
              <ReviewedCall key={at} {...{ action }} />
            ))}
          </div>
        )
      )}
    </div>
  );
}

function AskedCalls({ actions: [only, ...others] }: { readonly actions: readonly ReviewedAction[] }) {
  return (
    <>
      The agent asks before it {others.length === 0 ? "calls" : `makes ${others.length + 1} calls`}
      {others.length === 0 && only !== undefined && (
        <>
          {" "}
          <bdi class="mono">{only.name}</bdi>
        </>
      )}
    </>
  );
}

/** Asks for a text, or for JSON. */
function FreeForm({ onAnswer }: { readonly onAnswer: (value: unknown) => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  return (
    <form
      class="answer-form"
      onSubmit={sent(() => {
        onAnswer(text);
      })}
    >
      <label class="action-field">
        <span>Your answer</span>
        <textarea
          rows={2}
          value={text}
          aria-invalid={problem !== ""}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setProblem("");
          }}
        />
      </label>
      {problem !== "" && (
        <p class="answer-problem" role="status">
          {problem}
        </p>
      )}
      <div class="answer-send">
        <button type="submit" class="primary" disabled={text === ""}>
          Send as text
        </button>
        <button
          type="button"
          disabled={text === ""}
          onClick={() => {
            const { value, problem } = typedJson(text);
            if (problem === undefined) onAnswer(value);
            else setProblem(problem);
          }}
        >
          Send as JSON
        </button>
        <button
          type="button"
          onClick={() => {
            onAnswer(true);
          }}
        >
          Yes (true)
        </button>
        <button
          type="button"
          onClick={() => {
            onAnswer(false);
          }}
        >
          No (false)
        </button>
      </div>
    </form>
  );
}
