import type { PathSegment } from "./value-path.js";
import type { Wire } from "./wire.js";

/** What the encoder of one kind of value needs from the walk that met the value. */
export interface EncodeContext {
  /** The place of the value at hand, as an error names it. */
  readonly path: string;

  /** Encodes a part of the value at hand; `step` leads from the value to it. */
  at(step: PathSegment, part: unknown): unknown;

  /** Encodes the parts of `value` by calling `encode`, and refuses a value that contains itself. */
  within<T>(value: object, encode: () => T): T;

  /** An extension whose payload is MessagePack itself; the parts of `payload` are encoded already. */
  extension(code: number, payload: unknown): Wire;

  /** Ends the encoding with an error that names the place of the value at hand. */
  fail(problem: string): never;
}

/** Encodes a value of one kind; `undefined` means that the value is not of that kind. */
export type KindEncoder = (value: object, context: EncodeContext) => unknown;
