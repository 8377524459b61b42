import { joinSignals } from "../../db/async/on-abort.js";
import { AbortError, InvalidConfigError, ThreadLockedError } from "../../errors/index.js";
import { importLangGraph } from "../../serde/langchain/langgraph-classes.js";
import type { Answer, RunEvent, RunRequest } from "../api/runs.js";
import type { CallRun } from "../calls/call-definition.js";
import { messageOfGraph } from "../message-of.js";
import { RefusedError } from "../refused-error.js";
import { checkAnswer } from "../values/check-answer.js";
import { resumeOf } from "../values/question-form.js";
import { describeChunk, STREAM_MODES } from "./describe-run.js";
import { EventQueue } from "./event-queue.js";
import type { InspectedGraph } from "./inspected-graph.js";
import { type AskedQuestion, readOpenThread } from "./read-open-thread.js";
import { requireGraph } from "./thread-graphs.js";

/** What belongs to a run besides what the page asks for. */
interface StartedRun {
  /** Surrounds the run, for example to report it. */
  readonly around: (run: () => Promise<void>) => Promise<void>;
  /** Who starts it, where the application says so. */
  readonly user?: string | undefined;
}

/**
 * Starts a run that a person asks for, once nobody else can: it has the lock of the thread until it ends, and the thread is still as the
 * person saw it. The run goes on when the page goes away.
 *
 * @returns What the run reports.
 * @throws RefusedError where somebody else was faster, and where the thread belongs to another graph.
 */
export async function startRun(
  run: CallRun,
  request: RunRequest,
  { around, user }: StartedRun,
): Promise<EventQueue<RunEvent>> {
  const { context } = run;
  const events = new EventQueue<RunEvent>();
  // The request ends with the page, and the run does not.
  const lasting = { ...run, call: context.call, signal: context.ended };
  let hasStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  const work = (signal: AbortSignal): Promise<void> =>
    around(async () => {
      const graph = await requireGraph(lasting, request.graph, request);
      const input = await inputOf(lasting, request);
      events.add({ kind: "started" });
      hasStarted();
      const joined = joinSignals([signal, context.ended]);
      try {
        await send(graph, { request, input, events, user, signal: joined.signal });
      } finally {
        joined.release();
      }
    });
  const done = holdingThread(run, request.threadId, work);
  void done.then(
    () => {
      events.add({ kind: "ended" });
      events.end();
    },
    (error: unknown) => {
      if (!(error instanceof RefusedError || error instanceof AbortError))
        context.call.telemetry?.failedBeside("a run of the inspector failed", error);
      events.add({ kind: "failed", message: messageOfGraph(error) });
      events.end();
    },
  );
  await Promise.race([started, done]);
  return events;
}

interface Sent {
  readonly request: RunRequest;
  readonly input: unknown;
  readonly events: EventQueue<RunEvent>;
  readonly user: string | undefined;
  readonly signal: AbortSignal;
}

async function send(graph: InspectedGraph, { request, input, events, user, signal }: Sent): Promise<void> {
  const { threadId: thread_id, checkpointId: checkpoint_id, kind } = request;
  const configurable = { thread_id, ...(kind === "replay" && { checkpoint_id, checkpoint_ns: "" }) };
  // A saver with `metadataFromConfig: ["answered_by"]` stores it, and the story of the thread tells it.
  const told = kind === "answer" && user !== undefined ? { metadata: { answered_by: user } } : {};
  const options = { ...told, configurable, signal, streamMode: [...STREAM_MODES], subgraphs: true };
  for await (const chunk of await graph.stream(input, options)) {
    for (const event of describeChunk(chunk)) events.add(event);
  }
}

/** Returns what the graph gets, if the thread is still as the person saw it. */
async function inputOf(
  run: CallRun,
  { kind, threadId, checkpointId, answers = [] }: RunRequest,
): Promise<unknown> {
  if (kind === "replay") return null;
  const thread = await readOpenThread(run, threadId);
  if (thread.checkpointId !== checkpointId) throw hasGoneOn();
  if (kind === "continue") {
    if (thread.status === "done") throw hasGoneOn();
    return null;
  }
  if (answers.length === 0) throw new InvalidConfigError("args.answers", "must have an answer");
  const given = answers.map((answer) => {
    const question = thread.questions.find(({ key }) => key === answer.key);
    if (question === undefined) throw hasGoneOn();
    return [question, valueOf(question, answer)] as const;
  });
  const langGraph = await importLangGraph();
  if (langGraph === null) throw new InvalidConfigError("graphs", "need @langchain/langgraph");
  const [[question, value] = []] = given;
  if (given.length === 1 && thread.questions.length === 1 && question?.interrupt.id === undefined)
    return new langGraph.Command({ resume: value });
  const byId = given.map(([{ interrupt }, each]) => [interrupt.id ?? "", each] as const);
  if (byId.some(([id]) => id === ""))
    throw new InvalidConfigError("args.answers", "is for a question without an id, beside others");
  return new langGraph.Command({ resume: Object.fromEntries(byId) });
}

/** Returns what the graph gets for an answer. */
function valueOf({ form, interrupt }: AskedQuestion, answer: Answer): unknown {
  if ("decisions" in answer) {
    const value = resumeOf(interrupt.value, answer.decisions);
    if (value !== undefined) return value;
    throw new InvalidConfigError("args.answers", "must have one of the allowed decisions for each action");
  }
  // Any other value could be a decision that the question does not allow.
  if (form.kind === "decisions")
    throw new InvalidConfigError("args.answers", "must be decisions about the actions of the question");
  if (form.kind === "schema") checkAnswer(form.schema, answer.value);
  return answer.value;
}

function hasGoneOn(): RefusedError {
  return new RefusedError(
    ...([
      409,
      "ALREADY_ANSWERED",
      "the thread has gone on meanwhile: somebody else has answered, or a run has continued it",
    ] as const),
  );
}

/**
 * Does something while nobody else continues the thread.
 *
 * @throws RefusedError where somebody else does already.
 */
export async function holdingThread<Result>(
  { context }: CallRun,
  threadId: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await context.saver.withThreadLock(threadId, ({ signal }) => work(signal), { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof ThreadLockedError)) throw error;
    const message = "a run of this thread is under way: somebody else has just started it";
    throw new RefusedError(409, "ALREADY_ANSWERED", message);
  }
}
