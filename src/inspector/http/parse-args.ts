import type { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { parse } from "../../parsing/parse.js";

/** Parses the arguments of a call. */
export function parseArgs<Args>(schema: z.ZodType<Args>, text: string): Args {
  return parse(schema, parseJson(text), "args");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidConfigError("args", "must be JSON", { cause });
  }
}
