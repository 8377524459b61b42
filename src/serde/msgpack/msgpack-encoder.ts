import { SerializationError } from "../../errors/index.js";
import { type PythonOrigin, pythonOriginOf } from "../python/python-origin.js";
import {
  encodeBinary,
  encodeBoxed,
  encodeDate,
  encodeError,
  encodeRegExp,
  encodeUrl,
  encodeMap,
  encodeSet,
} from "./encode-builtins.js";
import { encodeArray, encodeObject } from "./encode-containers.js";
import type { EncodeContext, KindEncoder } from "./encode-context.js";
import { encodeLangChain } from "./msgpack-langchain.js";
import { encodeLangGraph } from "./msgpack-langgraph.js";
import {
  encodeBigInt,
  ENCODED_UNDEFINED,
  encodeNumber,
  encodeString,
  extension,
  pack,
  type Wire,
} from "./wire.js";
import { unstorableObject, unstorablePrimitive } from "../objects/unstorable.js";
import { isPlainObject, isArray } from "../objects/inspect-object.js";
import { isBareArray } from "../objects/built-ins.js";
import { standsForLangGraph } from "../langchain/langgraph-classes.js";
import { LONG_TEXT, SharedParts } from "../objects/shared-parts.js";
import { MAX_DEPTH } from "./ext-codes.js";
import { formatPath, type PathSegment } from "../objects/value-path.js";

/** The levels of {@link MAX_DEPTH} that a value takes if it is written as an extension around other containers. */
const EXTENSION_LEVELS = 4;

const KIND_ENCODERS: readonly KindEncoder[] = [
  encodeLangChain,
  encodeBinary,
  encodeMap,
  encodeSet,
  encodeDate,
  encodeRegExp,
  encodeError,
  encodeUrl,
  encodeBoxed,
  encodeLangGraph,
];

/**
 * Encodes one value as MessagePack. Plain data is inspected and then packed unchanged. Values that MessagePack lacks are replaced
 * by extensions first.
 *
 * @throws {@link SerializationError} with the path of the first part that can't be stored
 */
export function encode(value: unknown): Uint8Array {
  const encoder = new Encoder();
  return encoder.guard(() => pack(encoder.encode(value)));
}

/** The longest buffer that msgpackr allocates. */
const MAX_BYTES = 0xfd000000;

class Encoder implements EncodeContext {
  /** MessagePack needs no escapes. */
  readonly inKwargs = false;
  readonly #parts = new SharedParts<unknown>(MAX_BYTES);
  readonly #path: PathSegment[] = [];
  readonly #ancestors: object[] = [];
  #depth = 0;
  #messages = 0;

  get isInMessage(): boolean {
    return this.#messages > 0;
  }

  get depth(): number {
    return this.#depth;
  }

  get path(): string {
    return formatPath(this.#path);
  }

  encode(value: unknown): unknown {
    this.#parts.count(1);
    switch (typeof value) {
      case "string":
        this.#countText(value);
        return encodeString(value);
      case "number":
        return encodeNumber(value);
      case "boolean":
        return value;
      case "object":
        return value === null ? null : this.#encodeObject(value);
      case "undefined":
        return ENCODED_UNDEFINED;
      case "bigint":
        return encodeBigInt(value);
      case "function":
      case "symbol":
        return this.fail(unstorablePrimitive(value));
    }
  }

  at(step: PathSegment, part: unknown): unknown {
    this.#path.push(step);
    const encoded = this.encode(part);
    this.#path.pop();
    return encoded;
  }

  within<T>(value: object, encode: () => T): T {
    this.#enter(value, EXTENSION_LEVELS);
    const encoded = encode();
    this.#leave(EXTENSION_LEVELS);
    return encoded;
  }

  inMessage(encode: () => void): void {
    this.#messages += 1;
    encode();
    this.#messages -= 1;
  }

  extension(code: number, payload: unknown): Wire {
    return extension(code, pack(payload));
  }

  fail(problem: string, cause?: unknown): never {
    throw new SerializationError(this.path, problem, { cause });
  }

  /** Converts any error to a SerializationError: a getter may throw anything, and the stack may overflow before the limit. */
  guard<T>(encode: () => T): T {
    try {
      return encode();
    } catch (error) {
      if (error instanceof SerializationError) throw error;
      return this.fail("the value could not be read", error);
    }
  }

  #countText(text: string): void {
    this.#parts.count(text.length);
    if (text.length > LONG_TEXT) this.#refuseTooLarge();
  }

  #refuseTooLarge(): void {
    const { problem } = this.#parts;
    if (problem !== undefined) this.fail(problem);
  }

  // One method, since each call uses a part of the stack that deep values need.
  #encodeObject(value: object): unknown {
    const known = this.#parts.areLarge ? this.#parts.repeat(value, this) : undefined;
    const bytesBefore = this.#parts.bytes;
    let encoded = known;
    if (known === undefined) {
      const origin = pythonOriginOf(value);
      if (isArray(value) && isBareArray(value)) {
        const levels = levelsOf(value, origin);
        this.#enter(value, levels);
        encoded = encodeArray(value, this);
        this.#leave(levels);
      } else if (
        isPlainObject(value) &&
        !isArray(value) &&
        !ArrayBuffer.isView(value) &&
        (origin === undefined || !standsForLangGraph(value))
      ) {
        const levels = levelsOf(value, origin);
        this.#enter(value, levels);
        encoded = encodeObject(value, this);
        this.#leave(levels);
      } else encoded = this.#encodeKind(value);
      if (this.#parts.areLarge) this.#parts.remember(value, this, bytesBefore, encoded);
    }
    if (this.#parts.areLarge) this.#refuseTooLarge();
    return encoded;
  }

  #encodeKind(value: object): unknown {
    if (ArrayBuffer.isView(value)) this.#parts.count(value.byteLength);
    for (const encodeKind of KIND_ENCODERS) {
      const encoded = encodeKind(value, this);
      if (encoded !== undefined) return encoded;
    }
    return this.fail(unstorableObject(value));
  }

  #enter(value: object, levels: number): void {
    if (this.#ancestors.includes(value))
      this.fail("the value contains itself: store an id instead of the reference");
    this.#depth += levels;
    if (this.#depth > MAX_DEPTH) this.fail(`the value is nested deeper than ${MAX_DEPTH} levels`);
    this.#ancestors.push(value);
  }

  #leave(levels: number): void {
    this.#depth -= levels;
    this.#ancestors.pop();
  }
}

function levelsOf(value: object, origin: PythonOrigin | undefined): number {
  const isPlain = origin === undefined && Object.getPrototypeOf(value) !== null;
  return isPlain ? 1 : EXTENSION_LEVELS;
}
