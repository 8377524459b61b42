import type { CheckpointPlace } from "./places.js";
import type { ValueNode, ValuePath } from "./value-node.js";
import type { ThreadStatus } from "./threads.js";

/** A channel of a checkpoint. */
export interface ChannelView {
  readonly channel: string;
  readonly version: string | number;
  /**
   * `stored`: a row has the value. `splice`: a row has what is new against an earlier version. `header`: the header has it. `delta`: the
   * graph rebuilds it from writes. `empty`: the channel has no value.
   */
  readonly storage: "stored" | "splice" | "header" | "delta" | "empty";
  /** The stored bytes. */
  readonly bytes: number;
  /** Whether the version differs from the parent's. */
  readonly isNew: boolean;
  /** The value, where it is small. */
  readonly preview?: ValueNode;
}

/** A pending write. */
export interface WriteView {
  readonly idx: number;
  readonly channel: string;
  readonly bytes: number;
  readonly preview?: ValueNode;
}

/** A task with its pending writes. */
export interface TaskView {
  readonly taskId: string;
  readonly taskPath: string;
  /** The node, if the path names it. */
  readonly node?: string;
  readonly writes: readonly WriteView[];
}

/** A checkpoint without large values. */
export interface CheckpointView extends CheckpointPlace {
  readonly parentId?: string;
  readonly createdAt: number;
  readonly step?: number;
  readonly source?: string;
  readonly runId?: string;
  readonly status: ThreadStatus;
  /** The nodes that run next. */
  readonly next: readonly string[];
  /** The checkpoints that continue from this one. */
  readonly children: readonly string[];
  /** By name. */
  readonly channels: readonly ChannelView[];
  readonly tasks: readonly TaskView[];
  /** Whether there are more writes than those of {@link tasks}. */
  readonly hasMoreWrites?: boolean;
  readonly metadata: ValueNode;
  /** The channels that hold lists of messages, as far as their values are small or named `messages`. */
  readonly conversations: readonly string[];
}

/** A message of a conversation. */
export interface MessageView {
  /** The path of the message in the value of the channel. */
  readonly path: ValuePath;
  readonly role: "human" | "ai" | "system" | "tool" | "remove" | "other";
  /** The class or the type of the message. */
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  /** The first parts of the content, in their order. Calls that {@link toolCalls} has are left out. */
  readonly content: readonly ContentPart[];
  /** How many parts of the content and calls are left out because there are too many. */
  readonly omitted?: number;
  readonly toolCalls: readonly ToolCallView[];
  /** The call that a tool message answers. */
  readonly toolCallId?: string;
  /** The position of the message whose call shows this one as its result. */
  readonly shownAt?: number;
  /** `error` if the tool failed. */
  readonly status?: string;
  /** The model that wrote the message. */
  readonly model?: string;
  readonly usage?: TokenUsage;
}

/** The tokens of a model's answer, as far as the message says. */
export interface TokenUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWritten?: number;
  readonly reasoning?: number;
}

/** A part of a message's content. */
export type ContentPart = MessageText | MessageMedia | OtherPart;

/** A text. That of a reasoning is empty where the provider of the model has encrypted it. */
export interface MessageText {
  readonly kind: "text" | "reasoning";
  readonly path: ValuePath;
  readonly text: string;
  readonly isCut: boolean;
  /** The characters of the whole text. */
  readonly size: number;
}

/** An image, a recording, a film or a file: its address, or where its data is. */
export interface MessageMedia {
  readonly kind: "media";
  readonly media: "image" | "audio" | "video" | "file";
  /** The part that describes it. */
  readonly path: ValuePath;
  /** As the message says it. */
  readonly mediaType?: string;
  /** An address elsewhere. */
  readonly url?: string;
  readonly data?: MediaData;
}

/** Where the data of a {@link MessageMedia} is. */
export interface MediaData {
  readonly path: ValuePath;
  /** The decoded bytes, about. */
  readonly bytes: number;
  /** Whether the value is a text in base64, perhaps as a `data:` address. Otherwise it is the bytes. */
  readonly isBase64: boolean;
}

/** A part of a message's content that is only known as a value. */
interface OtherPart {
  readonly kind: "other";
  readonly type: string;
  readonly path: ValuePath;
  readonly value: ValueNode;
}

/** A call of a tool, with its result where the same conversation has it. */
export interface ToolCallView {
  readonly id?: string;
  readonly name: string;
  /** The arguments as JSON, cut; the text that the model wrote, where it could not be parsed. */
  readonly args: string;
  readonly isCut: boolean;
  /** The path of the arguments in the value of the channel. */
  readonly path?: ValuePath;
  /** Why LangChain could not parse the call. */
  readonly error?: string;
  /** The position of the tool message with the result. */
  readonly answeredBy?: number;
}

/** A page of a conversation. */
export interface Conversation {
  readonly total: number;
  /** The position of the first message of the page. */
  readonly offset: number;
  readonly messages: readonly MessageView[];
  /** Whether the value is not stored: it was rebuilt from writes by the rules of LangGraph's reducer for messages. */
  readonly isRebuilt?: boolean;
}

/** How a channel differs between two checkpoints, by its versions. */
export interface ChannelChange {
  readonly channel: string;
  /** `changed`: the versions differ; the values may still be equal. */
  readonly change: "added" | "removed" | "changed" | "same";
  readonly beforeBytes: number;
  readonly afterBytes: number;
}

/** What differs between two checkpoints. */
export interface CheckpointComparison {
  /** By name. */
  readonly channels: readonly ChannelChange[];
}

/** A part of a value that differs. Absent sides have no such part. */
export interface PartChange {
  /** The place in the value, such as `[3].content`. */
  readonly label: string;
  readonly before?: ValueNode;
  readonly after?: ValueNode;
  /** How many characters of two long texts are alike before what {@link before} and {@link after} show of them. */
  readonly skipped?: number;
}

/** What differs in the values of a channel. */
export interface ChannelComparison {
  /** The first changes, at most as many as asked for. */
  readonly changes: readonly PartChange[];
  /** How many changes are left out. */
  readonly omitted: number;
}
