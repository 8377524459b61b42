import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { MAX_TIMER_MS } from "../../db/async/timers.js";
import { connectionOptions } from "../../parsing/connection-options.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { sweepOption } from "../../parsing/sweep-option.js";

const count = z.int().min(1);

const milliseconds = z.number().min(1).max(MAX_TIMER_MS);
const seconds = z.number().positive();

/** The base64 text of a value stays far below the longest string of Node.js. */
const MAX_VALUE_BYTES = 2 ** 28;

// Strict: a misspelt option would silently have no effect.
const cacheOptions = z.strictObject({
  ...connectionOptions,
  ...sweepOption,
  // Checked by `checkedSerializer`.
  serde: z.custom<SerializerProtocol>(() => true).optional(),
  keyPrefix: keyText.refine((text) => text !== "", "must not be empty").optional(),
  onError: z.enum(["miss", "throw"]).default("miss"),
  deadlineMs: milliseconds.default(1_000),
  retryAfterMs: milliseconds.default(5_000),
  defaultTtl: seconds.optional(),
  maxEntries: count.optional(),
  maxBytes: count.optional(),
  maxValueBytes: count.max(MAX_VALUE_BYTES).default(16 * 2 ** 20),
  unlogged: z.boolean().default(true),
  ensureTables: z.boolean().default(true),
});

/** The parsed options of a cache, with defaults. */
export type CacheOptions = z.output<typeof cacheOptions>;

export function parseCacheOptions(options: unknown): CacheOptions {
  return parse(cacheOptions, options, "options");
}
