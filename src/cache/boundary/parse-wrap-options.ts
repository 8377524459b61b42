import { z } from "zod";
import { functionSchema } from "../../parsing/function-schema.js";
import { parse } from "../../parsing/parse.js";

const wrapOptions = z.strictObject({
  namespace: z.array(z.string()),
  key: functionSchema<(...args: never[]) => string>().optional(),
  ttl: z.number().positive().optional(),
  leaseSeconds: z.number().positive().max(86_400).default(30),
});

/** The parsed options of `wrap`, with defaults. */
export type WrapSettings = z.output<typeof wrapOptions>;

export function parseWrapOptions(options: unknown): WrapSettings {
  return parse(wrapOptions, options, "options");
}
