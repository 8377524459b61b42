import { z } from "zod";
import { parse } from "../../parsing/parse.js";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { type BoundedSchema, boundedSchema } from "./bounded-schema.js";

/** The most parts of a schema times the size of an answer: more would keep the service busy for longer than a moment. */
const MAX_WORK = 100_000;
/** How many characters take as long as a part. */
const CHARACTERS_OF_PART = 100;
/** Zod compares the names of two objects of these many names in the time of that many parts. */
const NAMES_SQUARED_OF_PART = 1_000;

/**
 * Checks an answer by the JSON Schema that a stored question has, as far as that takes no long time. The graph gets the answer as it was
 * given, and is left to check what is not checked here: see {@link boundedSchema}.
 *
 * @throws InvalidConfigError naming the first field that does not fit.
 */
export function checkAnswer(schema: unknown, answer: unknown): void {
  const bounded = boundedSchema(schema);
  if (bounded === undefined || bounded.parts * sizeOf(answer) > MAX_WORK) return;
  const converted = convert(bounded);
  if (converted !== undefined) parse(converted, answer, "answer");
}

/** A schema that zod can't read is left to the graph. */
function convert({ schema }: BoundedSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}

/** How long it takes to look at an answer, in parts. */
function sizeOf(answer: unknown): number {
  const waiting = [answer];
  let size = 0;
  while (waiting.length > 0 && size <= MAX_WORK) {
    const part = waiting.pop();
    size += 1;
    if (typeof part === "string") size += part.length / CHARACTERS_OF_PART;
    if (!isObject(part)) continue;
    const names = isArray(part) ? [] : Object.keys(part);
    size += names.join("").length / CHARACTERS_OF_PART + names.length ** 2 / NAMES_SQUARED_OF_PART;
    for (const each of Object.values(part)) waiting.push(each);
  }
  return size;
}
