import { z } from "zod";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

const signal = abortSignal.nullish().transform((given) => given ?? undefined);
const count = z.int().min(1).optional();

const saveOptions = z.strictObject({ signal, keepLast: count }).default({ signal: undefined });
const skipDamaged = z.boolean().default(false);
const latestOptions = z
  .strictObject({ signal, skipDamaged })
  .default({ signal: undefined, skipDamaged: false });
const listOptions = z
  .strictObject({ signal, limit: count, order: z.enum(["asc", "desc"]).default("asc"), skipDamaged })
  .default({ signal: undefined, order: "asc", skipDamaged: false });

export function parseSaveOptions(options: unknown): z.output<typeof saveOptions> {
  return parse(saveOptions, options, "options");
}

export function parseListOptions(options: unknown): z.output<typeof listOptions> {
  return parse(listOptions, options, "options");
}

export function parseLatestOptions(options: unknown): z.output<typeof latestOptions> {
  return parse(latestOptions, options, "options");
}
