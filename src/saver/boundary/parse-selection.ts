import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { type TupleSelection, WHOLE_TUPLE } from "../model/tuple-shape.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { abortSignal, type CallOptions } from "../../parsing/parse-call-options.js";

/** How much of a checkpoint is read. What is left out is neither sent by the database nor decoded. */
export interface ReadOptions extends CallOptions {
  /**
   * `false` reads the header and the metadata only: `channel_values` is empty then, and pending writes are read only if
   * `writes` says so. Default `true`.
   */
  readonly values?: boolean | undefined;
  /** The channels whose values are read. Default: all. */
  readonly channels?: readonly string[] | undefined;
  /** `false` leaves the pending writes out: the tuple has no `pendingWrites` then. Default `true`. */
  readonly writes?: boolean | undefined;
}

/** The options of every read. */
export const readOptions = z.strictObject({
  signal: abortSignal.nullish(),
  values: z.boolean().optional(),
  channels: z.array(keyText).readonly().optional(),
  writes: z.boolean().optional(),
});

/** What is asked for of a tuple. Whether values that stand nowhere are asked for is no matter. */
export function parseSelection(options: unknown): TupleSelection {
  if (options === undefined || options === null) return WHOLE_TUPLE;
  return toSelection(parse(readOptions, options, "options"));
}

export function toSelection({
  values = true,
  channels,
  writes = values,
}: z.output<typeof readOptions>): TupleSelection {
  if (!values && channels !== undefined) {
    throw new InvalidConfigError("options.channels", "must not be given together with values: false");
  }
  return { channels: values ? channels : [], writes };
}
