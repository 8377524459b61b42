import { type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./json-value.js";
import { SerializationError } from "../../errors/index.js";
import { formatSegment, type PathSegment } from "../objects/value-path.js";

/** The functions that the encoders of single kinds of values need from the encoder of the whole value. */
export interface Encoder {
  /** Whether the JSON is stored in a JSONB column. */
  readonly jsonb: boolean;
  /** Whether every plain object is written with its keys; see {@link EncodeJsonOptions}. */
  readonly keepsKeys: boolean;
  /** Encodes a part of the current value. */
  encode(value: unknown, place: JsonPlace): JsonValue;
  /** Encodes an object as one that was not read from a record; see {@link recordOf}. */
  encodeAnew(value: object, place: JsonPlace): JsonValue;
  /** The record that an object was read from, unless it is encoded anew. */
  recordOf(value: object): JsonObject | undefined;
  /** Whether a string can be written unchanged, as a value or as a key. */
  canWrite(text: string): boolean;
}

/** The step to a part that has the path of what is around it. */
const SAME: PathSegment = { step: "" };

/**
 * The position of a part in the value that is encoded, as a link to the surrounding place and a step. The path is only built when
 * an error needs it.
 */
export class JsonPlace {
  readonly #parent: JsonPlace | undefined;
  readonly #step: PathSegment;
  /** The number of levels of JSON around the part. */
  readonly depth: number;
  /** Whether the part is inside the kwargs of a LangChain object, where core escapes plain objects with a key `lc`. */
  readonly inKwargs: boolean;
  /** Whether the part is inside a message. Python's classes of messages refuse a record for a field that is not given. */
  readonly isInMessage: boolean;

  private constructor(
    parent: JsonPlace | undefined,
    step: PathSegment,
    depth: number,
    { inKwargs = false, isInMessage = parent?.isInMessage ?? false },
  ) {
    this.#parent = parent;
    this.#step = step;
    this.depth = depth;
    this.inKwargs = inKwargs;
    this.isInMessage = isInMessage;
  }

  /** The place of the whole value, which error messages call `path`. */
  static root(path: string): JsonPlace {
    return new JsonPlace(undefined, { step: path }, 0, {});
  }

  /** The element or property `key` of the array or object at this place. */
  child(key: string | number): JsonPlace {
    return new JsonPlace(this, key, this.depth + 1, this);
  }

  /** A part that is written into a record, `levels` deeper. */
  inRecord(step: PathSegment, levels: number): JsonPlace {
    return new JsonPlace(this, step, this.depth + levels, {});
  }

  /** The field `key` of a LangChain object, written into its kwargs. */
  kwarg(key: string): JsonPlace {
    return new JsonPlace(this, key, this.depth + 2, { inKwargs: true });
  }

  /** The same place, for a message. */
  ofMessage(): JsonPlace {
    return new JsonPlace(this, SAME, this.depth, { inKwargs: this.inKwargs, isInMessage: true });
  }

  /** The content of the wrapper that core puts around a plain object with a key `lc`. */
  escaped(): JsonPlace {
    return new JsonPlace(this, SAME, this.depth + 1, {});
  }

  /** The path, such as `messages[3].kwargs.onDone`. */
  path(): string {
    return this.#full().replace(/^\./, "");
  }

  #full(): string {
    const around = this.#parent === undefined ? "" : this.#parent.#full();
    return around + formatSegment(this.#step);
  }

  /** The error for a part that can't be stored. It names this place. */
  error(problem: string, cause?: unknown): SerializationError {
    return new SerializationError(this.path(), problem, { cause });
  }

  /** The error for a part that is an object around it. */
  cycle(): SerializationError {
    return this.error(
      "refers back to an object around it: a cycle can't be stored, store an id instead of the reference",
    );
  }

  /** Throws if the part is nested too deep. */
  assertDepth(): void {
    if (this.depth >= MAX_JSON_DEPTH)
      throw this.error(`is nested deeper than ${MAX_JSON_DEPTH} levels of JSON`);
  }
}
