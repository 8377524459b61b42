import { z } from "zod";
import { isPlainObject } from "../serde/objects/inspect-object.js";

/**
 * The longest key, in bytes of UTF-8: all keys of a row together must fit into a quarter of an index page.
 */
export const MAX_KEY_BYTES = 2_000;

/**
 * Text that can be a key or a part of one. Postgres does not support U+0000, and would store a lone surrogate
 * as U+FFFD, so that two different threads would become one.
 */
export const keyText = z.string().superRefine((text, context) => {
  const problem = problemOfKey(text);
  // One check instead of three: each call checks dozens of keys.
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

/** Text that Postgres can hold. A key that another program has stored may be longer than {@link keyText}. */
export const storedText = z.string().superRefine((text, context) => {
  const problem = problemOfText(text);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

function problemOfKey(text: string): string | undefined {
  const problem = problemOfText(text);
  if (problem !== undefined) return problem;
  const isShort = text.length * 3 <= MAX_KEY_BYTES || Buffer.byteLength(text) <= MAX_KEY_BYTES;
  return isShort ? undefined : `must not be longer than ${MAX_KEY_BYTES} bytes`;
}

function problemOfText(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain U+0000";
  return text.isWellFormed() ? undefined : "must not contain a lone surrogate";
}

/**
 * The id of a thread that is looked at, copied or removed: a string, or a number, which is converted to a string. It may be empty, since
 * official savers store such threads.
 */
export const storedThreadId = z.union([keyText, z.number().transform(String), z.bigint().transform(String)], {
  error: ({ input }) => (input === undefined ? "is missing" : "must be a string or a number"),
});

/** The id of a thread that a run reads and writes: an empty one is a variable that was not set. */
export const threadId = storedThreadId.refine((text) => text !== "", "must not be empty");

/** A checkpoint's id. LangGraph uses an empty one for none. */
export const optionalCheckpointId = keyText
  .nullish()
  .transform((id) => (id === "" || id === null ? undefined : id));

/** A namespace. A missing one is the root graph's. */
export const checkpointNs = keyText.nullish().transform((ns) => ns ?? "");

/**
 * A number that JSONB prints as JavaScript does. A value could not be found by any other version, or not be
 * read back.
 */
export const plainNumber = z.number().superRefine((number, context) => {
  if (String(number).includes("e"))
    context.addIssue({ code: "custom", message: "must be a number that prints without an exponent" });
  else if (Object.is(number, -0))
    context.addIssue({ code: "custom", message: "must not be negative zero, which reads back as 0" });
});

/** The version of a channel. */
export const channelVersion = z.union([keyText, plainNumber]);

/**
 * A plain object with keys and values of these kinds. The key `__proto__` is refused, since zod silently
 * drops it: its value would be lost, and a filter with it would match everything.
 */
export function recordOf<Key extends z.core.$ZodRecordKey, Value extends z.core.SomeType>(
  key: Key,
  value: Value,
): z.ZodPipe<z.ZodUnknown, z.ZodRecord<Key, Value>> {
  return plainOrNoObject.pipe(z.record(key, value));
}

/** The problem of an object that {@link hasNoProtoKey} refuses. */
export const PROTO_KEY = 'must not have the key "__proto__"';

/**
 * A value that is plain as far as it is an object. What an instance of a class inherits, or a Map holds, is not among its keys: metadata
 * would lose it, and a filter by it would match everything.
 */
export const plainOrNoObject = z.unknown().superRefine((value, context) => {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value) && !isPlainObject(value))
    context.addIssue({ code: "custom", message: "must be a plain object" });
  else if (!hasNoProtoKey(value)) context.addIssue({ code: "custom", message: PROTO_KEY });
});

/** Whether an object does not have the key `__proto__`. */
export function hasNoProtoKey(value: unknown): boolean {
  return typeof value !== "object" || value === null || !Object.hasOwn(value, "__proto__");
}
