import { z } from "zod";
import type { ArchiveTarget } from "../../archive/archive-types.js";
import { archiveTarget } from "../../archive/boundary/parse-archive.js";
import { functionSchema, parse, parseLines } from "../../parsing/parse.js";
import { recordOf, storedThreadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import type { ChannelReducer, ChannelReducers } from "../../saver/model/channel-reducers.js";
import type { RepairProgress } from "../repair-types.js";

/** A checked call of `repair`. */
export interface RepairRequest {
  /** All when `undefined`. */
  readonly threads: readonly string[] | undefined;
  /** Where threads are kept as they were. `undefined` plans only. */
  readonly target: ArchiveTarget | undefined;
  readonly backup: AsyncIterable<unknown> | Iterable<unknown> | undefined;
  readonly reducers: ChannelReducers;
  readonly rollBack: boolean;
  readonly quarantine: boolean;
  readonly onProgress: ((progress: RepairProgress) => void) | undefined;
}

const repairOptions = z
  .strictObject({
    threads: z.array(storedThreadId).optional(),
    dryRun: z.boolean().default(false),
    to: archiveTarget.optional(),
    from: z.unknown().optional(),
    reducers: recordOf(z.string(), functionSchema<ChannelReducer>()).default({}),
    rollBack: z.boolean().default(false),
    quarantine: z.boolean().default(false),
    onProgress: functionSchema<(progress: RepairProgress) => void>().optional(),
    signal: abortSignal.nullish(),
  })
  .refine(({ dryRun, to }) => dryRun || to !== undefined, {
    path: ["to"],
    message: "is missing: what is changed is written there first; or plan with dryRun",
  });

/** Checks the options of `repair`. */
export function parseRepair(options: unknown): RepairRequest {
  const { dryRun, to, from, threads, signal: _, ...others } = parse(repairOptions, options, "options");
  return {
    ...others,
    threads: threads && [...new Set(threads)],
    target: dryRun ? undefined : to,
    backup: from === undefined ? undefined : parseLines(from),
    onProgress: others.onProgress,
  };
}
