import { useEffect, useState } from "preact/hooks";
import type { Answer, OpenThread, RunRequest } from "../../../../api/runs.js";
import { Failure } from "../../../parts/failure.js";
import { useOverview } from "../../../server/overview-context.js";
import { useRead } from "../../../server/use-read.js";
import { GraphChoice } from "../../../parts/runs/graph-choice.js";
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
  return may.answer ? <Panel {...props} /> : null;
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

function Choices({ threadId, thread: { checkpointId, status, questions, graphs }, start }: ChoicesProps) {
  const [chosen, choose] = useState<string>();
  const graph = chosen !== undefined && graphs.includes(chosen) ? chosen : graphs[0];
  if (status === "done" || checkpointId === undefined) return null;
  if (graph === undefined) {
    return (
      <p class="dim">No graph of the inspector has the nodes of this thread, so it can’t go on from here.</p>
    );
  }
  const answer = (given: Answer): void => {
    start({ threadId, graph, checkpointId, kind: "answer", answers: [given] });
  };
  return (
    <section class="answers" aria-label="Let the thread go on">
      {graphs.length > 1 && <GraphChoice {...{ graphs, graph }} onChoose={choose} />}
      {questions.map((question, at) => (
        <QuestionAnswer
          key={question.key}
          {...{ question }}
          title={questions.length > 1 ? `Answer ${at + 1} of ${questions.length}` : "Answer"}
          onAnswer={answer}
        />
      ))}
      {status !== "interrupted" && (
        <button
          type="button"
          class="primary"
          onClick={() => {
            start({ threadId, graph, checkpointId, kind: "continue" });
          }}
        >
          {status === "failed" ? "Retry what failed" : "Go on"}
        </button>
      )}
    </section>
  );
}
