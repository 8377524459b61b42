import { SerializationError } from "../../errors/index.js";
import { formatSegment } from "../objects/value-path.js";
import { MAX_JSON_DEPTH } from "./limits.js";

/**
 * The position of a part in the value that is encoded, as a link to the surrounding place and a step. The path is only built when
 * an error needs it.
 */
export class Place {
  readonly #parent: Place | undefined;
  readonly #step: string | number | (() => string);
  /** The number of levels of JSON around the part. */
  readonly depth: number;
  /** Whether the part is inside the kwargs of a LangChain object, where core escapes plain objects with a key `lc`. */
  readonly inKwargs: boolean;
  /** Whether the part is inside a message. Python's classes of messages refuse a record for a field that is not given. */
  readonly isInMessage: boolean;

  private constructor(
    parent: Place | undefined,
    step: string | number | (() => string),
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
  static root(path: string): Place {
    return new Place(undefined, () => path, 0, {});
  }

  /** The element or property `key` of the array or object at this place. */
  child(key: string | number): Place {
    return new Place(this, key, this.depth + 1, this);
  }

  /** A part that is written into a record, `levels` deeper. `step` is the name of a property, or a function that returns the step. */
  inRecord(step: string | number | (() => string), levels: number): Place {
    return new Place(this, step, this.depth + levels, {});
  }

  /** The field `key` of a LangChain object, written into its kwargs. */
  kwarg(key: string): Place {
    return new Place(this, key, this.depth + 2, { inKwargs: true });
  }

  /** The same place, for a message. */
  ofMessage(): Place {
    return new Place(this, () => "", this.depth, { inKwargs: this.inKwargs, isInMessage: true });
  }

  /** The content of the wrapper that core puts around a plain object with a key `lc`. */
  escaped(): Place {
    return new Place(this, () => "", this.depth + 1, {});
  }

  /** The path, such as `messages[3].kwargs.onDone`. */
  path(): string {
    return this.#full().replace(/^\./, "");
  }

  #full(): string {
    return (this.#parent === undefined ? "" : this.#parent.#full()) + this.#text();
  }

  #text(): string {
    return typeof this.#step === "function" ? this.#step() : formatSegment(this.#step);
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
