import { constants } from "node:buffer";

import { standsForLangGraph } from "../langchain/langgraph-literals.js";
import { LONG_TEXT, SharedParts } from "../objects/shared-parts.js";
import { encodeBuiltin } from "./encode-builtin.js";
import { encodeLangChain } from "./encode-langchain.js";
import { encodeLangGraph } from "./encode-langgraph.js";
import { encodeArray, encodePlainObject } from "./encode-plain.js";
import { encodeBigInt, encodeCodeUnits, encodeNumber, isJsonbText } from "./encode-scalar.js";
import type { Encoder } from "./encoder.js";
import { isPlainObject } from "../plain-object.js";
import { unstorableObject, unstorablePrimitive } from "../objects/unstorable.js";
import type { JsonObject, JsonValue } from "./json-value.js";
import type { Place } from "./place.js";
import { recordOf } from "./read-records.js";
import { undefinedRecord } from "./records.js";

interface EncodingRules extends Partial<Pick<Encoder, "jsonb" | "keepsKeys">> {
  /** Whether the records that objects were read from are ignored. */
  readonly anew?: boolean;
}

/** Encodes one value. */
export class TreeEncoder implements Encoder {
  readonly jsonb: boolean;
  readonly keepsKeys: boolean;
  readonly #anew: boolean;
  readonly #open = new Set<object>();
  readonly #parts = new SharedParts<JsonValue>(constants.MAX_STRING_LENGTH);

  constructor({ jsonb = false, keepsKeys = false, anew = false }: EncodingRules) {
    this.jsonb = jsonb;
    this.keepsKeys = keepsKeys;
    this.#anew = anew;
  }

  encodeAnew(value: object, place: Place): JsonValue {
    const { jsonb, keepsKeys } = this;
    return new TreeEncoder({ jsonb, keepsKeys, anew: true }).encode(value, place);
  }

  recordOf(value: object): JsonObject | undefined {
    return this.#anew || !this.keepsKeys ? undefined : recordOf(value);
  }

  canWrite(text: string): boolean {
    return !this.jsonb || isJsonbText(text);
  }

  encode(value: unknown, place: Place): JsonValue {
    this.#parts.count(1);
    switch (typeof value) {
      case "string":
        this.#countText(value, place);
        return this.canWrite(value) ? value : encodeCodeUnits(value);
      case "number":
        return encodeNumber(value);
      case "boolean":
        return value;
      case "undefined":
        return undefinedRecord();
      case "bigint":
        return encodeBigInt(value, place);
      case "object":
        return value === null ? null : this.#enter(value, place);
      case "function":
      case "symbol":
        throw place.error(unstorablePrimitive(value));
    }
  }

  #countText(text: string, place: Place): void {
    this.#parts.count(text.length);
    if (text.length > LONG_TEXT) this.#refuseTooLarge(place);
  }

  #refuseTooLarge(place: Place): void {
    const { problem } = this.#parts;
    if (problem !== undefined) throw place.error(problem);
  }

  #enter(value: object, place: Place): JsonValue {
    if (this.#open.has(value)) throw place.cycle();
    place.assertDepth();
    const bytesBefore = this.#parts.bytes;
    let json = this.#parts.areLarge ? this.#parts.repeat(value, place) : undefined;
    if (json === undefined) {
      if (ArrayBuffer.isView(value)) this.#parts.count(value.byteLength);
      this.#open.add(value);
      json = this.#encodeObject(value, place);
      this.#open.delete(value);
      if (this.#parts.areLarge) this.#parts.remember(value, place, bytesBefore, json);
    }
    if (this.#parts.areLarge) this.#refuseTooLarge(place);
    return json;
  }

  #encodeObject(value: object, place: Place): JsonValue {
    if (Array.isArray(value)) return encodeArray(value, place, this);
    if (isPlainObject(value) && !ArrayBuffer.isView(value) && !standsForLangGraph(value))
      return encodePlainObject(value, place, this);
    const json =
      encodeBuiltin(value, place, this) ??
      encodeLangChain(value, place, this) ??
      encodeLangGraph(value, place, this);
    if (json === undefined) throw place.error(unstorableObject(value));
    return json;
  }
}
