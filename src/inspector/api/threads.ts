import type { CheckpointPlace, NamespacePlace } from "./places.js";
import type { ValuePath } from "./value-node.js";

/** What a thread, or a namespace of it, waits for. */
export type ThreadStatus =
  /** A task failed, and has not been repeated since. */
  | "failed"
  /** A task waits for an answer to its interrupt. */
  | "interrupted"
  /** The next tasks are known: a run is active, or was stopped. */
  | "pending"
  /** The graph has nothing to do. */
  | "done";

/** Which threads to list. */
export interface ThreadsQuery {
  /**
   * Only threads that have each of these words, or phrases in quotes, in any case: anywhere in their id or in a text of their newest
   * metadata, or from the beginning of a word on in a value of their current state, or in the question or the error of an open task. By last
   * activity. With the `text-index`, all threads are searched. Otherwise each answer is about the next ones, the latest first
   * ({@link ListedThreads.looked}); but all whose ids have the words come first, and with the `metadata-index` all whose metadata have them
   * as whole values.
   */
  readonly search?: string | undefined;
  /** Only threads whose newest metadata contains this. */
  readonly filter?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Only threads in this state, by last activity. Without the `waiting-index`, and for states that no index knows, each answer is about the
   * next threads that were looked at, the latest first: {@link ListedThreads.looked}.
   */
  readonly state?: ThreadStatus | undefined;
  /**
   * Only threads in whose conversation a tool has failed since a person wrote, and has not succeeded after that. Each answer is about the next threads that were looked at, the
   * latest first ({@link ListedThreads.looked}); conversations of more than 256 kB are not read.
   */
  readonly failedTools?: boolean | undefined;
  /** Only threads without activity since this time, in milliseconds since 1970. */
  readonly before?: number | undefined;
  /** Only threads with activity since this time, in milliseconds since 1970. */
  readonly since?: number | undefined;
  /**
   * `recent`: by last activity, the latest first; reads the newest checkpoint of every thread. `oldest`: the other way round, for states that
   * the index knows. Default: `id`.
   */
  readonly order?: "id" | "recent" | "oldest" | undefined;
  /** The cursor of the preceding page. */
  readonly after?: string | undefined;
  /** At most 200. Default: 50. */
  readonly limit?: number | undefined;
}

/** A thread in the list. */
export interface ThreadRow {
  readonly threadId: string;
  /** The namespace of the newest checkpoint. */
  readonly namespace: string;
  readonly checkpointId: string;
  /** The time of the newest checkpoint, in milliseconds since 1970. */
  readonly updatedAt: number;
  readonly checkpoints: number;
  readonly namespaces: number;
  /** The short texts, the numbers and the booleans of the newest metadata. */
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** The same of the conversation, where it has one. */
  readonly conversation?: Readonly<Record<string, string | number | boolean>>;
  readonly status: ThreadStatus;
  /** The nodes that run next. */
  readonly next: readonly string[];
  /** What it waits for, or why it failed. */
  readonly open?: OpenTask;
  /** Where the words were found that were asked for, unless in the id. */
  readonly found?: FoundText;
}

/** A text that a search has found, with what is around it. */
export interface FoundText extends CheckpointPlace {
  readonly kind: "value" | "question" | "error" | "metadata";
  readonly before: string;
  readonly match: string;
  readonly after: string;
  /** Where it is in a value. */
  readonly channel?: string;
  readonly path?: ValuePath;
  /** The path as people read it, such as `[3].content`; the name of the metadata. */
  readonly label?: string;
  /** Whether it is in a message of a conversation, whose position is the beginning of the path. */
  readonly isMessage?: true;
}

/** A page of threads. */
export interface ListedThreads {
  readonly threads: readonly ThreadRow[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
  /** How many threads were looked at for the page, where no index finds exactly those that were asked for. */
  readonly looked?: number;
  /** Whether the `text-index` has found the threads that were looked at; `false` where their words are in too many. */
  readonly byWords?: boolean;
  /** How many of those have values that were not searched: too long, or unreadable for this saver. */
  readonly unread?: number;
}

/** A name in the metadata of threads, with values that it has there. */
export interface MetadataSuggestion {
  readonly name: string;
  readonly values: readonly (string | number | boolean)[];
}

/** How many threads are in each state. */
export interface ThreadCounts {
  readonly counts: Readonly<Record<ThreadStatus, number>>;
  /** The states whose threads have all been counted. The others are among the {@link looked} threads with the latest activity. */
  readonly counted: readonly ThreadStatus[];
  readonly looked: number;
}

/** The stored size of threads, in bytes. */
export interface ThreadSizes {
  readonly bytes: Readonly<Record<string, number>>;
}

/** A namespace of a thread. */
export interface NamespaceSummary {
  readonly namespace: string;
  readonly checkpoints: number;
  /** The newest checkpoint. */
  readonly checkpointId: string;
  readonly updatedAt: number;
  readonly status: ThreadStatus;
  readonly next: readonly string[];
  /** Whether the subgraph has ended by handing over to a node of its parent graph. */
  readonly handedOver?: true;
}

/** A thread as a whole. */
export interface ThreadView {
  readonly threadId: string;
  /** The root graph first, then by name. Of more than 1,000, those with the latest checkpoints. */
  readonly namespaces: readonly NamespaceSummary[];
  /** How many namespaces are left out. */
  readonly omitted?: number;
  /** When the thread was deleted, in milliseconds since 1970, if it has a tombstone. */
  readonly deletedAt?: number;
}

/** Which checkpoints of a namespace to list, the newest first. */
export interface HistoryQuery extends NamespacePlace {
  /** The last checkpoint of the preceding page. */
  readonly before?: string | undefined;
  /** At most 2,000. Default: 500. */
  readonly limit?: number | undefined;
}

/** A checkpoint in the history of a namespace. */
export interface HistoryPoint {
  readonly checkpointId: string;
  readonly parentId?: string;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly step?: number;
  readonly source?: string;
  /** The run that stored the checkpoint, if its metadata names one. */
  readonly runId?: string;
  /** The person whose answer started that run, if the metadata names them. */
  readonly answeredBy?: string;
  /** The number of pending writes. */
  readonly writes: number;
  readonly interrupted: boolean;
  /** Whether one of the writes is an error. */
  readonly failed: boolean;
}

/** The checkpoints of a namespace that are next to one by time. */
export interface Neighbours {
  readonly older?: string;
  readonly newer?: string;
}

/** A page of checkpoints, the newest first. */
export interface HistoryPage {
  readonly points: readonly HistoryPoint[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/**
 * An event of `GET events?args={"threadId":…}`, a stream of server-sent events. It begins with the newest checkpoint of the namespaces that
 * were written last. Then it has each checkpoint that is stored, and the newest ones again when they have other writes.
 *
 * An error is an event `failure` with `CallError["error"]`, after which the stream ends.
 */
export interface WatchEvent extends NamespacePlace {
  readonly point: HistoryPoint;
}

/** A task that waits for a person, or has failed. */
export interface OpenTask {
  readonly taskId: string;
  /** The node, if the path of the task names it. */
  readonly node?: string;
  readonly kind: "question" | "error";
  /** What it asks, or why it failed, as a person reads it. */
  readonly text: string;
  readonly isCut: boolean;
}
