import { types } from "node:util";
import { z } from "zod";
import { InvalidConfigError } from "../errors/index.js";
import { keyText } from "../parsing/keys.js";
import { parse } from "../parsing/parse.js";
import { isPlainObject } from "../serde/objects/inspect-object.js";

/** The years that RFC 3339 and every database can hold. */
const FIRST_TIME = Date.parse("0001-01-01T00:00:00Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");
const MAX_VERSION = 2 ** 31 - 1;

export const requiredKey = keyText.refine((text) => text !== "", "must not be empty");

export const nodeNameText = z
  .string()
  .refine((text) => !text.includes("\0"), "must not contain U+0000")
  .refine((text) => text.isWellFormed(), "must not contain a lone surrogate");

const time = z
  .custom<Date>((value) => types.isDate(value), "must be a Date")
  .transform((date) => new Date(date.getTime()))
  .refine(
    (date) => date.getTime() >= FIRST_TIME && date.getTime() <= LAST_TIME,
    "must be a valid Date in the years 1 to 9999",
  );

// Only the ids that a checkpoint is listed by. The codec checks the rest where it encodes it.
const listedBy = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && isPlainObject(value),
  "must be a plain object or null",
);

const checkpoint = z.strictObject({
  id: requiredKey,
  nodeName: nodeNameText,
  state: z.unknown(),
  metadata: listedBy.nullish(),
  timestamp: time,
  version: z.int().min(0).max(MAX_VERSION),
});

/** A checkpoint whose fields have been checked, except for what its state and metadata hold. */
export type ParsedCheckpoint = z.output<typeof checkpoint>;

export function parseExecutionCheckpoint(value: unknown): ParsedCheckpoint {
  return parse(checkpoint, value, "checkpoint");
}

/** @throws InvalidConfigError for a checkpoint that can't be stored, and for two with the same id: nobody could say which of them to keep. */
export function parseCheckpoints(values: unknown): ParsedCheckpoint[] {
  const parsed = parse(z.array(z.unknown()), values, "checkpoints").map((value, n) =>
    parse(checkpoint, value, `checkpoints[${n}]`),
  );
  const ids = new Set<string>();
  for (const [n, { id }] of parsed.entries()) {
    if (ids.has(id))
      throw new InvalidConfigError(`checkpoints[${n}].id`, "another one of them has the same id");
    ids.add(id);
  }
  return parsed;
}

/**
 * Returns an id that a checkpoint is listed by, or `undefined` where the metadata has none. As in Go, what is no text is none.
 *
 * @throws InvalidConfigError for a text that no database can search for.
 */
export function parseListedId(value: unknown, name: "execution_id" | "thread_id"): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return parse(keyText, value, `checkpoint.metadata.${name}`);
}

const scope = z
  .union(
    [
      requiredKey.transform((id) => ({ by: "execution" as const, id })),
      z.strictObject({ executionId: requiredKey }).transform(({ executionId: id }) => ({
        by: "execution" as const,
        id,
      })),
      z
        .strictObject({ threadId: requiredKey })
        .transform(({ threadId: id }) => ({ by: "thread" as const, id })),
    ],
    "must be the id of an execution, { executionId } or { threadId }",
  )
  .readonly();

export function parseScope(value: unknown): z.output<typeof scope> {
  return parse(scope, value, "scope");
}
