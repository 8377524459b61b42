import { SerializationError } from "../../errors/index.js";
import { MAX_JSON_DEPTH } from "./limits.js";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/**
 * Where in a value the encoder stands: a link to the place around it and the step from there, so that a path is put
 * together only when an error needs one.
 */
export class Place {
  readonly #parent: Place | undefined;
  readonly #step: string | number | (() => string);
  /** How many levels of JSON surround what is written here. */
  readonly depth: number;
  /** Whether what is written here are kwargs of a LangChain object, where core escapes plain objects with a key `lc`. */
  readonly inKwargs: boolean;

  private constructor(
    parent: Place | undefined,
    step: string | number | (() => string),
    depth: number,
    inKwargs: boolean,
  ) {
    this.#parent = parent;
    this.#step = step;
    this.depth = depth;
    this.inKwargs = inKwargs;
  }

  /** The place of the value as a whole, which errors call `path`. */
  static root(path: string): Place {
    return new Place(undefined, () => path, 0, false);
  }

  /** The element or property `key`, written into the array or object that is written here. */
  child(key: string | number): Place {
    return new Place(this, key, this.depth + 1, this.inKwargs);
  }

  /** A part of the value that is written into a record, `levels` deeper. A string names a property, a function says the step. */
  inRecord(step: string | number | (() => string), levels: number): Place {
    return new Place(this, step, this.depth + levels, false);
  }

  /** The field `key` of a LangChain object, written into its kwargs. */
  kwarg(key: string): Place {
    return new Place(this, key, this.depth + 2, true);
  }

  /** What is written into the wrapper that core puts around a plain object with a key `lc`. */
  escaped(): Place {
    return new Place(this, () => "", this.depth + 1, false);
  }

  /** The path in the form `messages[3].kwargs.onDone`. */
  path(): string {
    return this.#full().replace(/^\./, "");
  }

  #full(): string {
    return (this.#parent === undefined ? "" : this.#parent.#full()) + this.#text();
  }

  #text(): string {
    if (typeof this.#step === "function") return this.#step();
    if (typeof this.#step === "number") return `[${this.#step}]`;
    return IDENTIFIER.test(this.#step) ? `.${this.#step}` : `[${JSON.stringify(this.#step)}]`;
  }

  /** The error for a value that can't be kept, naming this place. */
  error(problem: string, cause?: unknown): SerializationError {
    return new SerializationError(this.path(), problem, { cause });
  }

  /** Throws when what is written here would be nested too deep. */
  assertDepth(): void {
    if (this.depth >= MAX_JSON_DEPTH)
      throw this.error(`is nested deeper than ${MAX_JSON_DEPTH} levels of JSON`);
  }
}
