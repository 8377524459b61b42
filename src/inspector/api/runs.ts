import type { ValuePlace } from "./places.js";
import type { StoryQuestion } from "./story.js";
import type { OpenTask, ThreadStatus } from "./threads.js";

/** What a person may decide about an action. */
export type DecisionType = "approve" | "edit" | "reject" | "respond";

/** An action that a person is asked to review. */
export interface ReviewedAction {
  readonly name: string;
  /** The arguments as JSON. */
  readonly args: string;
  /** What the application says about it. */
  readonly description?: string;
  /** The JSON Schema of the arguments, where the question or the graph gives one. */
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly allowed: readonly DecisionType[];
}

/** How a question can be answered besides by any JSON value. */
export type QuestionForm =
  /** Decisions about actions, in LangChain's human-in-the-loop shape or in that of the Agent Inbox. */
  | {
      readonly kind: "decisions";
      readonly actions: readonly ReviewedAction[];
      /** Whether a rejection keeps the other actions of the question from being done, as in LangChain's middleware for JavaScript. */
      readonly rejectionStopsAll?: boolean;
    }
  /** A value that is valid by the JSON Schema that the graph has given. */
  | { readonly kind: "schema"; readonly schema: Readonly<Record<string, unknown>> }
  | { readonly kind: "free" };

/** A question that a person may answer. */
export interface Question extends StoryQuestion {
  /** The node, if the path of the task names it. */
  readonly node?: string;
  /** Names this question as it was asked now. An answer with another key comes too late. */
  readonly key: string;
  readonly form: QuestionForm;
  /** The write that has the question. */
  readonly place: ValuePlace;
}

/** What a person can do for a thread. */
export interface OpenThread extends ThreadGraphs {
  /** The newest checkpoint of the root graph; absent where there is none. */
  readonly checkpointId?: string;
  readonly status: ThreadStatus;
  readonly next: readonly string[];
  readonly questions: readonly Question[];
  readonly errors: readonly OpenTask[];
}

/** A graph of the service. */
interface GraphView {
  readonly name: string;
  readonly nodes: readonly string[];
  /** The channels of its state. */
  readonly channels: readonly string[];
}

/** The graphs of the service that may go on from a checkpoint. */
export interface ThreadGraphs {
  readonly graphs: readonly GraphView[];
  /** The one that the thread belongs to. Without it, a person has to choose one of the graphs, if there are any. */
  readonly graph?: string;
  /** How the inspector knows, or why it does not. */
  readonly reason: string;
}

/** A decision about an action. */
export type Decision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly args: Readonly<Record<string, unknown>> }
  | { readonly type: "reject"; readonly message?: string | undefined }
  | { readonly type: "respond"; readonly message: string };

/** An answer to a question. */
export type Answer = { readonly key: string } & (
  | { readonly decisions: readonly Decision[] }
  | { readonly value: unknown }
);

/** A run that a person starts. `POST run` answers it with a stream of {@link RunEvent}. */
export interface RunRequest {
  readonly threadId: string;
  /** The name of the graph. */
  readonly graph: string;
  /** The checkpoint that the run continues. */
  readonly checkpointId: string;
  /**
   * `answer`: with answers to questions of the newest checkpoint. `continue`: the newest checkpoint's tasks, also those that failed. `replay`:
   * from this checkpoint, on a new branch.
   */
  readonly kind: "answer" | "continue" | "replay";
  /** For `answer`. */
  readonly answers?: readonly Answer[] | undefined;
}

/** What a run has done. */
export type RunEvent =
  /** Nobody else can start a run of the thread until this one ends. */
  | { readonly kind: "started" }
  | { readonly kind: "node"; readonly node: string; readonly isInner: boolean }
  /** A model has written a part of a message. */
  | { readonly kind: "text"; readonly node: string; readonly messageId: string; readonly text: string }
  | { readonly kind: "ended" }
  | { readonly kind: "failed"; readonly message: string };
