import type { MessageView } from "./checkpoints.js";
import type { FoundText } from "./threads.js";

/** How the conversation of a thread ends. */
export interface LastMessage {
  readonly role: MessageView["role"];
  /** Its first text; empty where it has none. */
  readonly text: string;
  readonly isCut: boolean;
  /** The tools that it calls, or whose result it is. */
  readonly tools?: readonly string[];
  /** The tools that have failed since a person wrote, and have not succeeded after that. */
  readonly failedTools?: readonly string[];
  /** The bytes of a conversation that is too long to be read for a list. */
  readonly bytes?: number;
}

/** What to look for in a thread, in all of its steps. */
export interface ThreadSearch {
  readonly threadId: string;
  /** Words, or phrases in quotes: a text must have all of them. */
  readonly search: string;
  /** The cursor of the preceding page. */
  readonly before?: string | undefined;
}

/** A text of a thread that has what was looked for. */
export interface ThreadHit extends FoundText {
  /** The same for the same text at an earlier step, of a later page. */
  readonly key: string;
  /** The step of the checkpoint, and its time in milliseconds since 1970. */
  readonly step?: number;
  readonly at: number;
}

/** What was found in some steps of a thread, that of the newest one first. */
export interface ThreadHits {
  readonly hits: readonly ThreadHit[];
  /** How many steps were looked at. */
  readonly looked: number;
  /** Whether something was left out: values of more than 4 MB, or more than 100 texts. */
  readonly isPartial?: boolean;
  /** The cursor of the next page, with older steps. */
  readonly next?: string;
}
