import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { type TupleSelection, WHOLE_TUPLE } from "../model/tuple-shape.js";
import { keyText } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { type StaleReadOptions, staleReadOptions } from "../../parsing/parse-call-options.js";

/** The parts of a checkpoint that a read returns. The database does not send the other parts. */
export interface ReadOptions extends StaleReadOptions {
  /**
   * `false` reads only the header and the metadata: `channel_values` is empty, and pending writes are read only with
   * `writes: true`. Default `true`.
   */
  readonly values?: boolean | undefined;
  /** The channels whose values are read. Default: all. */
  readonly channels?: readonly string[] | undefined;
  /** `false` omits the pending writes: the tuple has no `pendingWrites`. Default `true`. */
  readonly writes?: boolean | undefined;
}

/** The options of every read. */
export const readOptions = staleReadOptions.extend({
  values: z.boolean().optional(),
  channels: z.array(keyText).readonly().optional(),
  writes: z.boolean().optional(),
});

/** What to read of one checkpoint. */
export interface ReadRequest {
  readonly selection: TupleSelection;
  /** Whether a run may continue from what is read: all parts of it, and none of them stale. */
  readonly mayContinue: boolean;
}

/** Parses how a checkpoint is read. A channel that does not exist is no error. */
export function parseRead(options: unknown): ReadRequest {
  if (options === undefined || options === null) return { selection: WHOLE_TUPLE, mayContinue: true };
  const parsed = parse(readOptions, options, "options");
  const selection = toSelection(parsed);
  const isWhole = selection.channels === undefined && selection.writes;
  return { selection, mayContinue: isWhole && parsed.staleReads !== true };
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
