import type { MessageView } from "./checkpoints.js";
import type { CheckpointPlace } from "./places.js";
import type { HistoryPoint, HistoryQuery, ThreadStatus } from "./threads.js";
import type { ValuePath } from "./value-node.js";

/** Which steps of a namespace to tell, the newest first. `limit`: at most 200. Default: 50. */
export type StoryQuery = HistoryQuery;

/** What a message is found by in a conversation: its id, the call that it answers, or its beginning. */
export interface MessageKey {
  readonly role: MessageView["role"];
  readonly id?: string;
  readonly toolCallId?: string;
  /** The beginning of the text of a message without an id. */
  readonly text?: string;
}

/** A tool that a message names. */
export interface StoryTool {
  readonly name: string;
  /** `called`: a model asked for it. Otherwise the result is there. */
  readonly outcome: "called" | "done" | "failed";
}

/** A text in a pending write, or its beginning. */
export interface WrittenText {
  readonly text: string;
  readonly isCut: boolean;
  /** The write that has the text. */
  readonly taskId: string;
  readonly idx: number;
  /** Where the text is in the value of the write, unless it was put together. */
  readonly path?: ValuePath;
}

/** Why a task failed. */
export interface StoryError extends WrittenText {
  /** The name of the error, such as `TypeError`. */
  readonly name?: string;
}

/** What a task asks a person. */
export interface StoryQuestion extends WrittenText {
  /** The id of the interrupt, by which an answer names it. */
  readonly id?: string;
  /** The rest of the value as JSON, where the question is a part of it. */
  readonly details?: string;
  /** Whether it asks for decisions about actions, which the form for the answer shows as well. */
  readonly isReview?: boolean;
  /** What was answered, where the task has gone on. */
  readonly answer?: string;
}

/** A task of a step. */
export interface StoryTask {
  /** The node, where it is known. */
  readonly node?: string;
  /** The id of the task, or those that it may have. The namespace of its subgraph ends with one of them. */
  readonly taskIds: readonly string[];
  /** Whether it has written its output. */
  readonly isDone: boolean;
  /** Whether an answer to its question was stored. */
  readonly isAnswered: boolean;
  readonly error?: StoryError;
  /** Whether it has handed over to a node of the parent graph. */
  readonly handedOver?: true;
  /** The nodes that its output starts, as far as the names of its writes tell. */
  readonly leadsTo?: readonly string[];
  readonly questions: readonly StoryQuestion[];
}

/** What the tasks after a checkpoint have done. */
export interface StoryTasks {
  /** Those of Sends in their order, then the others by name. Of more than 200, those that failed or wait, and the first ones. */
  readonly tasks: readonly StoryTask[];
  /** How many tasks are left out. */
  readonly omitted: number;
  readonly tools: readonly StoryTool[];
  /** The tokens of the messages that were written, where they tell. */
  readonly tokens?: { readonly input: number; readonly output: number };
  /** The messages that were written first here; at most 50. */
  readonly messages: readonly MessageKey[];
  /** How many messages were written first here. */
  readonly messageCount: number;
  /** Whether there are values that could not be read, or were too long to be. */
  readonly isPartial: boolean;
}

/** A checkpoint, and what made it. */
export interface StoryStep extends HistoryPoint {
  /** The time since the checkpoint before, in milliseconds. */
  readonly tookMs?: number;
  /** What that time includes: until a `person` answered, or until another `run` went on. */
  readonly waitedFor?: "person" | "run";
  /** What made the checkpoint. Absent where the checkpoint before was deleted, and nothing else tells. */
  readonly ran?: StoryTasks;
  /** What began after the checkpoint, where no checkpoint of the page has come of it. */
  readonly open?: StoryTasks & { readonly status: ThreadStatus };
}

/** A page of a story, the newest step first. */
export interface StoryPage {
  readonly steps: readonly StoryStep[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** Which messages to find in a conversation. */
export interface MessageSearch extends CheckpointPlace {
  readonly channel: string;
  readonly messages: readonly MessageKey[];
  /** A later message. Of several that are alike, the last one before it is found. */
  readonly followedBy?: MessageKey | undefined;
}

/** The positions of messages in a conversation; `null` for one that is not in it. */
export interface FoundMessages {
  readonly positions: readonly (number | null)[];
}
