import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import {
  type CheckpointError,
  InvalidConfigError,
  type PostgresSaver,
  SerializationError,
} from "../../../src/index.js";

/** The class, the code and the place that an error must name. */
export interface NamedError {
  readonly type: new (...args: never[]) => CheckpointError;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A checkpoint that is stored while bad input is sent. */
export interface Standing {
  readonly saver: PostgresSaver;
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
}

/** A call that must be refused. */
export interface BadInput {
  readonly what: string;
  readonly call: (standing: Standing) => Promise<unknown>;
  readonly error: NamedError;
}

/** A key above the limit of 2,000 bytes. */
export const LONG_KEY = "ü".repeat(1_001);

/** The error that a caller's own code throws when the saver reads an argument. */
export class CallersError extends Error {}

/** An object whose property `key` throws when it is read. */
export function throwing(key: string): object {
  return Object.defineProperty({}, key, {
    enumerable: true,
    get: () => {
      throw new CallersError("read");
    },
  });
}

/** An object that throws on every operation. */
export function throwingProxy(): object {
  const refuse = (): never => {
    throw new CallersError("trapped");
  };
  return new Proxy(
    {},
    { get: refuse, getOwnPropertyDescriptor: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse },
  );
}

/** An object with an own property `__proto__`, as JSON.parse creates one. */
export function withProtoKey(value: unknown): Record<string, unknown> {
  return Object.fromEntries([["__proto__", value]]);
}

/** An object that contains itself, as `self`. */
export function cycle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

/** The error for an invalid argument. */
export function invalid(field: string): NamedError {
  return { type: InvalidConfigError, fields: { code: "INVALID_CONFIG", field } };
}

/** The error for a value that can't be stored. */
export function unstorable(path: unknown, place: { readonly channel?: string } = {}): NamedError {
  return { type: SerializationError, fields: { code: "SERIALIZATION_FAILED", path, ...place } };
}
