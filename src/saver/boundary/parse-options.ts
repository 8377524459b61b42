import { z } from "zod";
import { MAX_NAME_BYTES } from "../../db/max-name-bytes.js";
import type { RetryOptions } from "../../db/retry-transient.js";
import { parse } from "./parse.js";

/** How a saver works. */
export interface PostgresSaverOptions {
  /** The schema that holds the tables, of any name; it is quoted. Default `public`. */
  readonly schema?: string | undefined;
  /**
   * Whether statements are prepared, so that Postgres plans each once per connection. `false` behind a pooler in
   * transaction mode that does not follow prepared statements. Default `true`.
   */
  readonly prepare?: boolean | undefined;
  /** How long transient faults are retried, or `false` to be told at once. Default: 15 seconds. */
  readonly retry?: RetryOptions | false | undefined;
}

const schemaName = z
  .string()
  .min(1)
  .refine(
    (name) => Buffer.byteLength(name) <= MAX_NAME_BYTES,
    `must not be longer than ${MAX_NAME_BYTES} bytes`,
  )
  .refine((name) => !/\0|\p{Surrogate}/u.test(name), "must not contain U+0000 or a lone surrogate");

const milliseconds = z.number().min(0).optional();

const saverOptions = z.object({
  schema: schemaName.default("public"),
  prepare: z.boolean().default(true),
  retry: z
    .union([
      z.literal(false),
      z.object({ maxElapsedMs: milliseconds, minDelayMs: milliseconds, maxDelayMs: milliseconds }),
    ])
    .default({}),
});

/** The options of a saver, complete. */
export function parseSaverOptions(options: unknown): z.output<typeof saverOptions> {
  return parse(saverOptions, options, "options");
}
