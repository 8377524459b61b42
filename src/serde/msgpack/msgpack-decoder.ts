import { rememberScalars, type PythonScalar, type PythonScalars } from "../python/python-origin.js";
import { type LangGraphSource, readWithLangGraph } from "../langchain/langgraph-classes.js";
import { defineOwn } from "../objects/inspect-object.js";
import { ByteReader, malformed } from "./byte-reader.js";
import { dictOf } from "./python-dict.js";
import { decodeExtension } from "./decode-extension.js";
import { EXT, MAX_DEPTH } from "./ext-codes.js";
import { float64Bytes } from "./wire.js";
import { DeserializationError } from "../../errors/index.js";

/** The longest array that V8 can grow to. A longer one ends the process, because V8 grows an array by half of its size. */
const MAX_ITEMS = 112_813_858;

/** Decodes the values of one MessagePack document. */
export class Decoder {
  readonly #reader: ByteReader;
  readonly #source: LangGraphSource;
  #depth = 0;
  /** The bytes of the last value, if it was a primitive that JavaScript would write in other bytes. */
  #scalarBytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array, source: LangGraphSource) {
    this.#reader = new ByteReader(bytes);
    this.#source = source;
  }

  /** Decodes the single value of the document. */
  document(): unknown {
    const value = this.#value();
    this.#reader.expectEnd();
    return value;
  }

  #value(): unknown {
    this.#scalarBytes = undefined;
    const token = this.#reader.uint8();
    if (token < 0x80) return token;
    if (token < 0x90) return this.#map(token & 0x0f);
    if (token < 0xa0) return this.#array(token & 0x0f);
    if (token < 0xc0) return this.#reader.text(token & 0x1f);
    if (token >= 0xe0) return token - 0x100;
    return this.#tagged(token);
  }

  #tagged(token: number): unknown {
    const reader = this.#reader;
    switch (token) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return reader.bytes(reader.uint8());
      case 0xc5:
        return reader.bytes(reader.uint16());
      case 0xc6:
        return reader.bytes(reader.uint32());
      case 0xd9:
        return reader.text(reader.uint8());
      case 0xda:
        return reader.text(reader.uint16());
      case 0xdb:
        return reader.text(reader.uint32());
      case 0xdc:
        return this.#array(reader.uint16());
      case 0xdd:
        return this.#array(reader.uint32());
      case 0xde:
        return this.#map(reader.uint16());
      case 0xdf:
        return this.#map(reader.uint32());
      default:
        return token >= 0xca && token <= 0xd3 ? this.#number(token) : this.#announcedExtension(token);
    }
  }

  #number(token: number): unknown {
    const reader = this.#reader;
    switch (token) {
      case 0xca:
        return this.#float(reader.float32());
      case 0xcb:
        return this.#float(reader.float64());
      case 0xcc:
        return reader.uint8();
      case 0xcd:
        return reader.uint16();
      case 0xce:
        return reader.uint32();
      case 0xcf:
        return toNumber(reader.uint64());
      case 0xd0:
        return reader.int8();
      case 0xd1:
        return reader.int16();
      case 0xd2:
        return reader.int32();
      default:
        return toNumber(reader.int64());
    }
  }

  /** A whole float would be written as an integer, so its bytes are kept. Map and Set turn -0 into 0. */
  #float(value: number): number {
    if (Number.isSafeInteger(value)) this.#scalarBytes = float64Bytes(value);
    return value;
  }

  #array(length: number): unknown[] {
    if (length > Math.min(this.#reader.remaining, MAX_ITEMS))
      throw malformed(`an array announces ${length} items`);
    this.#enter();
    const items: unknown[] = [];
    let scalars: Map<string, PythonScalar> | undefined;
    for (let index = 0; index < length; index += 1) {
      const value = this.#value();
      items.push(value);
      if (this.#scalarBytes !== undefined)
        (scalars ??= new Map()).set(String(index), { value, bytes: this.#scalarBytes });
    }
    return this.#leave(items, scalars);
  }

  #map(size: number): object {
    if (size * 2 > this.#reader.remaining) throw malformed(`a map announces ${size} entries`);
    this.#enter();
    const object: Record<string, unknown> = {};
    let scalars: Map<string, PythonScalar> | undefined;
    for (let index = 0; index < size; index += 1) {
      const key = this.#key();
      if (typeof key !== "string") return this.#dict(object, scalars, key, size - index);
      const value = this.#value();
      if (key === "__proto__") defineOwn(object, key, value);
      else object[key] = value;
      if (this.#scalarBytes !== undefined)
        (scalars ??= new Map()).set(key, { value, bytes: this.#scalarBytes });
    }
    return this.#leave(object, scalars);
  }

  #key(): unknown {
    const token = this.#reader.peek();
    return token >= 0xa0 && token < 0xc0 ? this.#reader.key(this.#reader.uint8() & 0x1f) : this.#value();
  }

  /** Decodes the rest of a map after the first key that is not a string. */
  #dict(
    start: object,
    startScalars: ReadonlyMap<string, PythonScalar> | undefined,
    firstKey: unknown,
    size: number,
  ): Map<unknown, unknown> {
    const map = new Map<unknown, unknown>(Object.entries(start));
    const scalars = new Map<unknown, PythonScalar>(startScalars);
    const spellings = new Map<unknown, readonly Uint8Array[]>();
    for (let index = 0; index < size; index += 1) {
      const key = index === 0 ? firstKey : this.#value();
      if (this.#scalarBytes !== undefined) spellings.set(key, [this.#scalarBytes]);
      const value = this.#value();
      map.set(key, value);
      if (this.#scalarBytes !== undefined) scalars.set(key, { value, bytes: this.#scalarBytes });
    }
    return this.#leave(dictOf(map, spellings), scalars);
  }

  #announcedExtension(token: number): unknown {
    const start = this.#reader.position - 1;
    const length = this.#extensionLength(token);
    const code = this.#reader.uint8();
    this.#enter();
    const value = decodeExtension(code, length, this.#reader, () => this.#value(), this.#source);
    this.#depth -= 1;
    this.#scalarBytes = isPythonScalar(code, value) ? this.#reader.bytesSince(start) : undefined;
    return value;
  }

  #extensionLength(token: number): number {
    switch (token) {
      case 0xc7:
        return this.#reader.uint8();
      case 0xc8:
        return this.#reader.uint16();
      case 0xc9:
        return this.#reader.uint32();
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return 1 << (token - 0xd4);
      default:
        throw malformed(`the byte 0x${token.toString(16)} does not begin a value`);
    }
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw malformed(`it is nested deeper than ${MAX_DEPTH} levels`);
  }

  #leave<T extends object>(container: T, scalars: PythonScalars | undefined): T {
    this.#depth -= 1;
    this.#scalarBytes = undefined;
    return scalars === undefined ? container : rememberScalars(container, scalars);
  }
}

function isPythonScalar(code: number, value: unknown): boolean {
  return code <= EXT.PYDANTIC_V2 && (typeof value !== "object" || value === null);
}

function toNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/**
 * Decodes a MessagePack value with Python's extensions and this library's own.
 *
 * @returns the value, or a promise of it if it contains a Send, Overwrite or Command, whose classes are imported on demand
 * @throws {@link DeserializationError} for malformed bytes; the promise rejects with the same error
 */
export function decode(bytes: Uint8Array): unknown {
  return readWithLangGraph((source) => run(bytes, source));
}

function run(bytes: Uint8Array, source: LangGraphSource): unknown {
  try {
    return new Decoder(bytes, source).document();
  } catch (error) {
    if (error instanceof DeserializationError) throw error;
    throw malformed(error instanceof RangeError ? "it is nested too deep" : "a part of it is invalid", error);
  }
}
