import { useEffect, useState } from "preact/hooks";
import type { Answer, OpenThread, RunRequest, Question } from "../../../../api/runs.js";
import { Failure } from "../../../parts/read-state.js";
import { useOverview } from "../../../server/overview-context.js";
import { useRead } from "../../../server/use-read.js";
import { GraphChoice, graphToRun } from "../../../parts/graph-choice.js";
import { useRun, type RunProgress } from "../../../server/use-run.js";
import { DecisionsForm } from "./decisions-form.js";
import { formFieldsOf, SchemaForm } from "./schema-form.js";
import { nodeName } from "../../../parts/words.js";
import { typedJson } from "../../../parts/json-text.js";
import "./answer.css";
import { sent } from "../../../parts/typed-text.js";

interface AnswerPanelProps {
  readonly threadId: string;
  /** Changes when the thread has stored something. */
  readonly version: string;
}

/** Lets a person answer what a thread asks, repeat what failed, and let a run go on that was stopped. For whoever may. */
export function AnswerPanel(props: AnswerPanelProps) {
  const { may } = useOverview();
  return may.answer || may.continue ? <Panel {...props} /> : null;
}

function Panel({ threadId, version }: AnswerPanelProps) {
  const { data, error, refetch } = useRead("openThread", { threadId });
  const { progress, start } = useRun();
  useEffect(() => {
    void refetch();
  }, [version]);
  const isRunning = progress?.phase === "asked" || progress?.phase === "running";
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {progress !== undefined && <RunView progress={progress} status={data?.status} />}
      {data !== undefined && (
        // A person who has to correct an answer finds it as it was.
        <div hidden={isRunning}>
          <Choices thread={data} {...{ threadId, start }} />
        </div>
      )}
    </>
  );
}

interface ChoicesProps {
  readonly threadId: string;
  readonly thread: OpenThread;
  readonly start: (request: RunRequest) => void;
}

function Choices({ threadId, thread, start }: ChoicesProps) {
  const { may } = useOverview();
  const [chosen, choose] = useState<string>();
  const { checkpointId, status, questions } = thread;
  const canAnswer = may.answer && questions.length > 0;
  const canContinue = may.continue && status !== "interrupted";
  if (status === "done" || checkpointId === undefined || !(canAnswer || canContinue)) return null;
  const graph = graphToRun(thread, chosen);
  const run = (request: Pick<RunRequest, "kind" | "answers">): void => {
    if (graph !== undefined) start({ threadId, graph, checkpointId, ...request });
  };
  return (
    <section class="answers" aria-label="Let the thread go on">
      <GraphChoice {...thread} {...{ chosen }} onChoose={choose} />
      {/* A form without a graph to send it to is disabled, and keeps what a person has typed. */}
      <fieldset class="answers-forms" disabled={graph === undefined} hidden={thread.graphs.length === 0}>
        {canAnswer &&
          questions.map((question, at) => (
            <QuestionAnswer
              key={question.key}
              {...{ question }}
              title={questions.length > 1 ? `Answer ${at + 1} of ${questions.length}` : "Answer"}
              onAnswer={(given: Answer) => {
                run({ kind: "answer", answers: [given] });
              }}
            />
          ))}
        {canContinue && (
          <button
            type="button"
            class="primary"
            onClick={() => {
              run({ kind: "continue" });
            }}
          >
            {status === "failed" ? "Retry what failed" : "Go on"}
          </button>
        )}
      </fieldset>
    </section>
  );
}

interface QuestionAnswerProps {
  readonly question: Question;
  readonly title: string;
  readonly onAnswer: (answer: Answer) => void;
}

/** Asks for the answer to a question: by its form, or by any JSON value where the question does not ask for decisions. */
function QuestionAnswer({ question: { key, form, text }, title, onAnswer }: QuestionAnswerProps) {
  const [isFree, setFree] = useState(false);
  const fields = form.kind === "schema" ? formFieldsOf(form.schema) : undefined;
  const answerWith = (value: unknown): void => {
    onAnswer({ key, value });
  };
  return (
    <div class="answer" role="group" aria-label={`${title}: ${text.slice(0, 80)}`}>
      <h3>{title}</h3>
      {form.kind === "decisions" ? (
        <DecisionsForm
          actions={form.actions}
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
    </div>
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
          rows={3}
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
      <div class="action-buttons">
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

interface RunViewProps {
  readonly progress: RunProgress;
  /** The state of the thread. */
  readonly status: OpenThread["status"] | undefined;
}

/** What a run does. */
function RunView({ progress: { phase, nodes, texts, error }, status }: RunViewProps) {
  return (
    <div class="run" aria-busy={phase === "asked" || phase === "running"}>
      {phase === "failed" && <Failure error={error} />}
      <p role="status">
        {phase === "asked" && "Starting the run…"}
        {phase === "running" && "The run is under way…"}
        {phase === "ended" &&
          (status === "interrupted" ? "The run has stopped to ask." : "The run has ended.")}
      </p>
      {nodes.length > 0 && (
        <ol class="run-nodes" aria-label="Nodes that have ended">
          {nodes.map((node, at) => (
            <li key={at}>
              <bdi>{nodeName(node)}</bdi>
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
