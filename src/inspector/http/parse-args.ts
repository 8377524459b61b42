import type { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { parse } from "../../parsing/parse.js";
import { isNestedDeeper } from "../../serde/json/json-text.js";
import { MAX_JSON_DEPTH } from "../../serde/json/limits.js";

/** Parses the arguments of a call. */
export function parseArgs<Args>(schema: z.ZodType<Args>, text: string): Args {
  refuseDeep(text);
  return parse(schema, parseJson(text), "args");
}

/**
 * Refuses what no saver could store: whatever walks through it, here and in Postgres, would overflow its stack. Counts in the text, so that
 * nothing walks through it first.
 */
function refuseDeep(text: string): void {
  if (isNestedDeeper(text, MAX_JSON_DEPTH))
    throw new InvalidConfigError("args", `must not be nested deeper than ${MAX_JSON_DEPTH} levels`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidConfigError("args", "must be JSON", { cause });
  }
}
