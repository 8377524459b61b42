import { useEffect, useState } from "preact/hooks";
import type { Answer, OpenThread, RunRequest } from "../../../../api/runs.js";
import { Failure } from "../../../parts/failure.js";
import { useOverview } from "../../../server/overview-context.js";
import { useRead } from "../../../server/use-read.js";
import { GraphChoice, graphToRun } from "../../../parts/runs/graph-choice.js";
import { QuestionAnswer } from "./question-answer.js";
import { RunView } from "./run-view.js";
import { useRun } from "../../../parts/runs/use-run.js";
import "./answer.css";

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
      {progress !== undefined && <RunView progress={progress} />}
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
