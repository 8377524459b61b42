import { z } from "zod";

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

/** The version of a channel. */
export const channelVersion = z.union([z.number(), keyText]);
