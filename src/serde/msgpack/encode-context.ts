import type { PathSegment } from "../objects/value-path.js";
import type { Wire } from "./wire.js";

/** The functions that the encoder of one kind of value needs from the encoder of the whole value. */
export interface EncodeContext {
  /** The path of the current value, as an error message names it. */
  readonly path: string;

  /** Encodes a part of the current value. `step` leads from the value to the part. */
  at(step: PathSegment, part: unknown): unknown;

  /** Encodes the parts of `value` by calling `encode`, and refuses a value that contains itself. */
  within<T>(value: object, encode: () => T): T;

  /** Whether the current value is inside a message. Python's classes of messages refuse `None` for a field that is not given. */
  readonly isInMessage: boolean;

  /** Encodes the fields of a message by calling `encode`. */
  inMessage(encode: () => void): void;

  /** Encodes an extension whose payload is MessagePack. The parts of `payload` are already encoded. */
  extension(code: number, payload: unknown): Wire;

  /** Throws an error that names the path of the current value. */
  fail(problem: string): never;
}

/** Encodes a value of one kind, or returns `undefined` for a value of another kind. */
export type KindEncoder = (value: object, context: EncodeContext) => unknown;
