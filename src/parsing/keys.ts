import { z } from "zod";
import { isPlainObject } from "../serde/plain-object.js";

/** The longest key, in bytes of UTF-8: all keys of a row must fit on a quarter of an index page together. */
export const MAX_KEY_BYTES = 2_000;

/**
 * Text that can be a key, or part of one. Postgres has no U+0000, and a lone surrogate would be stored as U+FFFD, so
 * that two different threads became one.
 */
export const keyText = z
  .string()
  .refine((text) => !text.includes("\0"), "must not contain U+0000")
  .refine((text) => !/\p{Surrogate}/u.test(text), "must not contain a lone surrogate")
  .refine(
    (text) => text.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(text) <= MAX_KEY_BYTES,
    `must not be longer than ${MAX_KEY_BYTES} bytes`,
  );

/** A thread's id: text, or a number that is taken as text. */
export const threadId = z
  .union([keyText, z.number().transform(String), z.bigint().transform(String)], {
    error: ({ input }) =>
      input === undefined ? "is missing" : "must be text, or a number that is taken as text",
  })
  .refine((text) => text !== "", "must not be empty");

/** A checkpoint's id; an empty one means that there is none, as LangGraph has it. */
export const optionalCheckpointId = keyText
  .nullish()
  .transform((id) => (id === "" || id === null ? undefined : id));

/** A namespace; a missing one is that of the root graph. */
export const checkpointNs = keyText.nullish().transform((ns) => ns ?? "");

/** A number that JSONB prints as JavaScript does: beyond that a value is not found by its version, or not read back. */
export const plainNumber = z
  .number()
  .refine((number) => !String(number).includes("e"), "must be a number that is written without an exponent")
  .refine((number) => !Object.is(number, -0), "must not be negative zero, which is read as 0");

/** The version of a channel. */
export const channelVersion = z.union([plainNumber, keyText]);

/**
 * An object that is no class's, with keys and values of these kinds. One with the key `__proto__` is refused, since zod
 * leaves it out without a word: what it names would be lost, and a filter by it match everything.
 */
export function recordOf<Key extends z.core.$ZodRecordKey, Value extends z.core.SomeType>(
  key: Key,
  value: Value,
): z.ZodPipe<z.ZodUnknown, z.ZodRecord<Key, Value>> {
  return z
    .unknown()
    .refine(isPlainOrNoObject, "must be a plain object")
    .refine(hasNoProtoKey, PROTO_KEY)
    .pipe(z.record(key, value));
}

/** What is said of an object that {@link hasNoProtoKey} refuses. */
export const PROTO_KEY = 'must not have the key "__proto__"';

/**
 * Whether a value is plain as far as it is an object. What an instance of a class inherits, or a Map holds, is not among its
 * keys: metadata would lose it, and a filter by it would match everything.
 */
export function isPlainOrNoObject(value: unknown): boolean {
  return typeof value !== "object" || value === null || Array.isArray(value) || isPlainObject(value);
}

/** Whether all keys of an object are names that can be stored. */
export function hasNoProtoKey(value: unknown): boolean {
  return typeof value !== "object" || value === null || !Object.hasOwn(value, "__proto__");
}
