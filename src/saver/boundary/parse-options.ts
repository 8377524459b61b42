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
  /**
   * How many bytes one call may store: header, metadata and new values of a `put`, the values of a `putWrites`, each call
   * of a batch by itself, all as they are encoded, compressed and encrypted. More is refused as a
   * `CheckpointTooLargeError` before anything is sent. Default: no limit.
   */
  readonly maxCheckpointBytes?: number | undefined;
  /**
   * Above how many bytes one call has Node emit a warning, of type `CheckpointSizeWarning` and code `CHECKPOINT_SIZE`:
   * once a day (UTC) for each namespace of a thread, and for a hundred of them at most. Default: half of
   * {@link maxCheckpointBytes}; no warning where that is not set either.
   */
  readonly warnCheckpointBytes?: number | undefined;
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

const bytes = z.int().min(1).optional();

const saverOptions = z.object({
  schema: schemaName.default("public"),
  prepare: z.boolean().default(true),
  retry: z
    .union([
      z.literal(false),
      z.object({ maxElapsedMs: milliseconds, minDelayMs: milliseconds, maxDelayMs: milliseconds }),
    ])
    .default({}),
  maxCheckpointBytes: bytes,
  warnCheckpointBytes: bytes,
});

const boundsInOrder = ({
  maxCheckpointBytes: max = Infinity,
  warnCheckpointBytes: warn = 0,
}: z.output<typeof saverOptions>): boolean => warn <= max;

const consistentOptions = saverOptions.refine(boundsInOrder, {
  path: ["warnCheckpointBytes"],
  message: "must not be above maxCheckpointBytes",
});

/** The options of a saver, complete. */
export function parseSaverOptions(options: unknown): z.output<typeof saverOptions> {
  return parse(consistentOptions, options, "options");
}
