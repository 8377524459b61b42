import { useEffect, useRef, useState } from "preact/hooks";
import type { ThreadRow } from "../../../api/threads.js";
import { ActionDialog, ActionForm, type Closing } from "../../parts/actions/action-dialog.js";
import { TextField } from "../../parts/actions/fields.js";
import { countText, formatCount } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { typed } from "../../parts/typed-text.js";
import { linkToThread } from "../../routes/route.js";
import { type OneByOne, useOneByOne } from "../../server/use-one-by-one.js";
import { doWith, type ExportForm, type ManyAction, type Outcome, saveFiles } from "./many-work.js";
import { shortId } from "./short-id.js";

/** What each action says it will do. */
const WORDS: Readonly<Record<ManyAction, readonly [verb: string, sentence: string]>> = {
  retry: [
    "Retry",
    "The tasks that failed run again, thread after thread; what they did outside, such as sending mail, they do again.",
  ],
  continue: [
    "Continue",
    "The graph of each thread runs what is next, thread after thread. A run that is under way somewhere else is left alone.",
  ],
  export: [
    "Export",
    "One file has what is stored now of all of them, with personal data and secrets that messages may have.",
  ],
  delete: [
    "Delete",
    "All their checkpoints, values and pending writes are deleted for good, in all namespaces; other threads and the memory stay.",
  ],
};

interface ManyDialogProps extends Closing {
  readonly action: ManyAction;
  readonly threads: readonly ThreadRow[];
}

/** Does something with many threads, one after another, and says what became of each. */
export function ManyDialog({ action, threads, onClose }: ManyDialogProps) {
  const [verb, sentence] = WORDS[action];
  const work = useOneByOne<string, Outcome>();
  const [count, setCount] = useState("");
  const [form, setForm] = useState<ExportForm>("conversation");
  const [graph, setGraph] = useState<string>();
  const start = async (meant: readonly ThreadRow[]): Promise<void> => {
    const ids = meant.map(({ threadId }) => threadId);
    const outcomes = await work.start(ids, (threadId) => doWith(threadId, { action, form, graph }));
    const files = outcomes.flatMap((outcome) => (outcome.isDone ? (outcome.file ?? []) : []));
    if (files.length > 0) saveFiles(files, form);
  };
  const what = `${verb} ${countText(threads.length, "thread")}`;
  return (
    <ActionDialog title={what} sentence={sentence} onClose={onClose}>
      {(close) =>
        work.phase === undefined ? (
          <ActionForm
            submit={what}
            isReady={action !== "delete" || count.trim() === String(threads.length)}
            sending={[]}
            onSubmit={() => void start(threads)}
            onCancel={close}
          >
            {action === "delete" && (
              <TextField
                label={`Type how many threads are deleted: ${threads.length}`}
                value={count}
                onChange={setCount}
              />
            )}
            {action === "export" && <FormChoice {...{ form }} onChoose={setForm} />}
          </ActionForm>
        ) : (
          <>
            <Progress {...{ work, threads, close }} />
            <MissingGraph
              {...{ work, threads, graph }}
              onChoose={setGraph}
              onStart={(left) => void start(left)}
            />
          </>
        )
      }
    </ActionDialog>
  );
}

function FormChoice({
  form,
  onChoose,
}: {
  readonly form: ExportForm;
  readonly onChoose: (form: ExportForm) => void;
}) {
  return (
    <label class="action-field">
      <span>As</span>
      <select
        value={form}
        onChange={typed((value) => {
          onChoose(value === "state" ? "state" : "conversation");
        })}
      >
        <option value="conversation">conversations in Markdown</option>
        <option value="state">states in JSON</option>
      </select>
    </label>
  );
}

type ManyWork = OneByOne<string, Outcome>;

interface ProgressProps {
  readonly work: ManyWork;
  readonly threads: readonly ThreadRow[];
  readonly close: () => void;
}

function Progress({ work: { phase, outcomes, stop }, threads, close }: ProgressProps) {
  const isRunning = phase === "running";
  const [done, total] = [outcomes.size, threads.length];
  const button = useRef<HTMLButtonElement>(null);
  const [isStopping, setStopping] = useState(false);
  // The button that had the focus is gone.
  useEffect(() => {
    button.current?.focus();
    setStopping(false);
  }, [isRunning]);
  const failed = [...outcomes.values()].filter(({ isDone }) => !isDone).length;
  return (
    <>
      <progress class="action-progress" aria-label="Progress" value={done} max={total} />
      <p role="status">
        {formatCount(done)} of {formatCount(total)}
        {failed > 0 && `, ${formatCount(failed)} not`}
        {!isRunning && (done < total ? ". Stopped." : ". Finished.")}
      </p>
      <ol class="many-results" aria-label="Results" tabIndex={0}>
        {threads.map(({ threadId }) => (
          <Result key={threadId} {...{ threadId }} outcome={outcomes.get(threadId)} />
        ))}
      </ol>
      <div class="action-buttons">
        <button
          ref={button}
          type="button"
          class={isRunning ? undefined : "primary"}
          disabled={isStopping}
          onClick={() => {
            if (!isRunning) close();
            stop();
            setStopping(isRunning);
          }}
        >
          {isRunning ? (isStopping ? "Stops after this thread" : "Stop") : "Close"}
        </button>
      </div>
    </>
  );
}

function Result({ threadId, outcome }: { readonly threadId: string; readonly outcome: Outcome | undefined }) {
  return (
    <li>
      <a href={linkToThread({ threadId, namespace: "" })} title={threadId}>
        <bdi>{shortId(threadId)}</bdi>
      </a>{" "}
      {outcome === undefined && <span class="dim">not yet</span>}
      {outcome?.isDone === true &&
        (outcome.status === undefined ? "ok" : <StatusBadge status={outcome.status} next={[]} />)}
      {outcome?.isDone === false && <bdi class="many-problem">{outcome.problem}</bdi>}
    </li>
  );
}

interface MissingGraphProps {
  readonly work: ManyWork;
  readonly threads: readonly ThreadRow[];
  readonly graph: string | undefined;
  readonly onChoose: (graph: string) => void;
  readonly onStart: (threads: readonly ThreadRow[]) => void;
}

/** Asks for the graph of the threads that nothing names one for. */
function MissingGraph({ work: { phase, outcomes }, threads, graph, onChoose, onStart }: MissingGraphProps) {
  const graphsOf = (threadId: string): readonly string[] => {
    const outcome = outcomes.get(threadId);
    return outcome?.isDone === false ? (outcome.graphs ?? []) : [];
  };
  const names = [...new Set(threads.flatMap(({ threadId }) => graphsOf(threadId)))];
  if (phase === "running" || names.length === 0) return null;
  const meant = threads.filter(({ threadId }) => graph !== undefined && graphsOf(threadId).includes(graph));
  return (
    <div class="action-form many-graph">
      <label class="action-field">
        <span>Graph of the threads that do not tell theirs</span>
        <select value={graph ?? ""} onChange={typed(onChoose)}>
          <option value="" disabled>
            choose the graph
          </option>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button
        type="button"
        disabled={meant.length === 0}
        onClick={() => {
          onStart(meant);
        }}
      >
        Run {countText(meant.length, "thread")} with it
      </button>
    </div>
  );
}
