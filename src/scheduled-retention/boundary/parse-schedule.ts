import { z } from "zod";
import type { ArchiveTarget } from "../../archive/archive-types.js";
import { archiveTarget } from "../../archive/boundary/parse-archive.js";
import type { LoadLimits } from "../../db/scheduling/pace.js";
import { MAX_EVERY_MS } from "../../db/scheduling/rounds.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";
import { parsePrune, type PruneRequest } from "../../retention/boundary/parse-prune.js";

/** A checked call of `startRetention`. */
export interface ScheduleRequest {
  readonly everyMs: number;
  /** What a round deletes, one rule after the other. */
  readonly rules: readonly PruneRequest[];
  /** Absent where rows are only deleted. */
  readonly archive: ArchiveTarget | undefined;
  readonly limits: LoadLimits;
  readonly signal: AbortSignal | undefined;
}

/** How many checkpoints one transaction deletes at most. */
const BATCH = 500;

const NO_RULE = "must have olderThanMs, keepLast or idleForMs";

const schedule = z
  .strictObject({
    every: z.number().min(1_000).max(MAX_EVERY_MS),
    // `parsePrune` checks the rules.
    olderThanMs: z.unknown().optional(),
    keepLast: z.unknown().optional(),
    idleForMs: z.unknown().optional(),
    archive: archiveTarget.optional(),
    maxRowsPerSecond: z.number().min(1).or(z.literal(Infinity)).default(1_000),
    maxLagMs: z.number().min(0).or(z.literal(Infinity)).default(10_000),
    signal: abortSignal.nullish(),
  })
  .refine((given) => retains(given) || given.idleForMs !== undefined, NO_RULE);

/** Checks the options of `startRetention`. */
export function parseSchedule(options: unknown): ScheduleRequest {
  const { every, archive, maxRowsPerSecond, maxLagMs, signal, ...rules } = parse(
    schedule,
    options,
    "options",
  );
  return {
    everyMs: every,
    rules: rulesOf(rules, Math.min(BATCH, Math.floor(maxRowsPerSecond))),
    archive,
    limits: { maxRowsPerSecond, maxLagMs },
    signal: signal ?? undefined,
  };
}

interface GivenRules {
  readonly olderThanMs?: unknown;
  readonly keepLast?: unknown;
  readonly idleForMs?: unknown;
}

/** Whole threads first: their checkpoints need not be looked at one by one. */
function rulesOf(given: GivenRules, batchSize: number): PruneRequest[] {
  const { olderThanMs, keepLast, idleForMs } = given;
  const rules: object[] = [];
  if (idleForMs !== undefined) rules.push({ idleForMs });
  if (retains(given)) rules.push({ olderThanMs, keepLast, batchSize });
  return rules.map((rule) => parsePrune(rule, undefined));
}

function retains({ olderThanMs, keepLast }: GivenRules): boolean {
  return olderThanMs !== undefined || keepLast !== undefined;
}
