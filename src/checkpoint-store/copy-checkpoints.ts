import { throwIfAborted } from "../db/statements/cancellation.js";
import {
  AbortError,
  InvalidConfigError,
  CorruptCheckpointError,
  CheckpointError,
  type CheckpointErrorOptions,
} from "../errors/index.js";
import type { BackendCall, CheckpointBackend } from "./model/backend.js";
import { type ReadRecord, isSameRecord, type SaveRules, type StoredRecord } from "./model/stored-record.js";
import { checkSize } from "./checkpoint-codec.js";
import { isDeepStrictEqual } from "node:util";
import { parseJsonData } from "../serde/json/json-text.js";
import { type CallOptions, abortSignal } from "../parsing/parse-call-options.js";
import { z } from "zod";
import { functionSchema, parse } from "../parsing/parse.js";
import { keyText } from "../parsing/keys.js";

/** A store whose checkpoints can be copied: one of this library, or a `BackendCheckpointStore` of your own. */
export interface CopyableStore {
  readonly backend: CheckpointBackend;
}

/**
 * Copies all checkpoints of a store into another one, as they are stored: an encrypted state stays encrypted. The target's checkpoints
 * with the same ids are replaced where they differ, and its other ones stay. Each stored checkpoint is read again and compared. At the
 * end the numbers of checkpoints are compared.
 *
 * A copy that has stopped may be made again, from the start or with the option `after`. Save nothing in either store meanwhile, or make
 * the copy again afterwards. The TTLs of Redis are not copied: those of the target begin. Times are copied in milliseconds.
 *
 * @param to - The target. Call its `setup` before.
 * @returns The counts of all that was done.
 * @throws InvalidConfigError for an invalid option, or where both stores are the same.
 * @throws CheckpointCopyError where the copy has stopped. Its `progress` says after which id.
 * @throws AbortError when `signal` aborts. `onProgress` has got the last id.
 *
 * @example
 * ```ts
 * const { read, created } = await copyCheckpoints(oldStore, newStore);
 * ```
 */
export async function copyCheckpoints(
  from: CopyableStore,
  to: CopyableStore,
  options?: CopyCheckpointsOptions,
): Promise<CopyProgress> {
  const { signal, after, dryRun, maxConcurrency, onProgress } = parse(copyOptions, options, "options");
  const [source, target] = [from.backend, to.backend];
  if (source === target) throw new InvalidConfigError("to", "must be another store than `from`");
  throwIfAborted(signal);
  const call: BackendCall = { signal };
  const [total, before] = await Promise.all([source.count(call), target.count(call)]);
  let progress: CopyProgress = { total, read: 0, created: 0, replaced: 0, unchanged: 0, after };
  try {
    for await (const page of source.pages(after, call)) {
      const outcomes: CopyOutcome[] = [];
      await eachConcurrently(page, maxConcurrency, async (record) => {
        throwIfAborted(signal);
        try {
          if (record instanceof Error) throw record;
          outcomes.push(await copyRecord(record, target, dryRun, call));
        } catch (error) {
          throw stoppedBy(error, progress, idOf(record));
        }
      });
      const last = page.at(-1);
      progress = added(progress, outcomes, last && idOf(last));
      onProgress?.(progress);
    }
    const counts = await Promise.all([source.count(call), target.count(call)]);
    compareCounts(progress, counts, {
      source: after === undefined ? progress.read : total,
      target: dryRun ? before : before + progress.created,
    });
    return progress;
  } catch (error) {
    throw stoppedBy(error, progress);
  }
}

/**
 * Compares the numbers of checkpoints after a copy with those that it expects.
 *
 * @throws CheckpointCopyError where they differ.
 */
function compareCounts(
  progress: CopyProgress,
  [source, target]: readonly [number, number],
  expected: { readonly source: number; readonly target: number },
): void {
  for (const [store, found, wanted] of [
    ["source", source, expected.source],
    ["target", target, expected.target],
  ] as const) {
    if (found === wanted) continue;
    const problem = `the ${store} has ${found} checkpoints instead of ${wanted}: it has changed meanwhile, or has lost some`;
    throw new CheckpointCopyError(`${problem}; copy again when nothing saves to it`, progress);
  }
}

function stoppedBy(error: unknown, progress: CopyProgress, checkpointId?: string): unknown {
  if (error instanceof AbortError || error instanceof CheckpointCopyError) return error;
  const what =
    checkpointId === undefined ? "the copy has stopped" : `checkpoint "${checkpointId}" was not copied`;
  const reason = error instanceof Error ? error.message : String(error);
  return new CheckpointCopyError(`${what}: ${reason}`, progress, { checkpointId, cause: error });
}

function idOf(record: ReadRecord): string | undefined {
  return record instanceof Error ? record.checkpointId : record.id;
}

function added(
  progress: CopyProgress,
  outcomes: readonly CopyOutcome[],
  after = progress.after,
): CopyProgress {
  const countOf = (outcome: CopyOutcome): number => outcomes.filter((one) => one === outcome).length;
  return {
    total: progress.total,
    read: progress.read + outcomes.length,
    created: progress.created + countOf("created"),
    replaced: progress.replaced + countOf("replaced"),
    unchanged: progress.unchanged + countOf("unchanged"),
    after,
  };
}

/**
 * Runs work for each item, for at most `max` of them at the same time. After a failure it begins no further one, and waits for those that
 * have begun.
 *
 * @throws The first error of the work.
 */
async function eachConcurrently<Item>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}

/** What became of a record: the target did not have it, had something else, or had it already. */
type CopyOutcome = "created" | "replaced" | "unchanged";

/** A copy replaces what is stored, and deletes nothing. */
const RULES: SaveRules = { onlyNewer: false, keepLast: undefined };

/**
 * Stores a record unless the target has it, and reads it again.
 *
 * @param dryRun - Only says what would become of it.
 * @throws CheckpointTooLargeError for a record that the target can't hold.
 * @throws CorruptCheckpointError where the target returns another record than was stored.
 */
async function copyRecord(
  record: StoredRecord,
  target: CheckpointBackend,
  dryRun: boolean,
  call: BackendCall,
): Promise<CopyOutcome> {
  const { id, state, metadata } = record;
  checkSize({ maxCheckpointBytes: Infinity, maxTextBytes: target.maxTextBytes }, id, state, metadata);
  const stored = await target.load(id, call);
  if (stored !== undefined && isSameContent(record, stored)) return "unchanged";
  if (!dryRun) {
    await target.save(record, RULES, call);
    const copied = await target.load(id, call);
    if (copied === undefined || !isSameContent(record, copied)) {
      throw new CorruptCheckpointError("the target does not return what was stored", { checkpointId: id });
    }
  }
  return stored === undefined ? "created" : "replaced";
}

/**
 * Whether two records of different backends store the same. Their texts may differ: JSONB sorts the keys of objects, and prints numbers in
 * its own way.
 */
function isSameContent(one: StoredRecord, other: StoredRecord): boolean {
  const { state, metadata } = one;
  return (
    isSameRecord(one, { ...other, state, metadata }) &&
    isSameJson(state, other.state) &&
    isSameJson(metadata, other.metadata)
  );
}

/** A missing text is the same as `null`, which Go stores for missing metadata. */
function isSameJson(one = "null", other = "null"): boolean {
  return one === other || isDeepStrictEqual(parseJsonData(one, "jsonb"), parseJsonData(other, "jsonb"));
}

/** Options of `copyCheckpoints`. */
export interface CopyCheckpointsOptions extends CallOptions {
  /** Begins after this id, by the bytes of ids. Default: at the first one. */
  readonly after?: string | undefined;
  /** Compares the stores, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** How many checkpoints are compared and stored at the same time, from 1 to 1,000. Default 16. */
  readonly maxConcurrency?: number | undefined;
  /** Called after each page of the source. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/** What `copyCheckpoints` has done so far. */
export interface CopyProgress {
  /** The number of checkpoints in the source when the copy began. */
  readonly total: number;
  /** How many of them were read. */
  readonly read: number;
  /** How many the target did not have. */
  readonly created: number;
  /** How many the target had with other content. */
  readonly replaced: number;
  /** How many the target had with the same content. */
  readonly unchanged: number;
  /**
   * The id up to which everything is stored. Another copy with it as the option `after` continues there. `undefined` until the first page
   * is done.
   */
  readonly after: string | undefined;
}

/**
 * A copy of checkpoints has stopped: a checkpoint can't be read or stored, the target has something else than was stored, or the stores
 * have other numbers of checkpoints than expected. What was stored stays. `cause` is the error of the store, where there is one;
 * `progress` says up to which id it is done.
 *
 * @remarks Copy again, which continues.
 *
 * @example
 * ```ts
 * if (error instanceof CheckpointCopyError) await copyCheckpoints(from, to, { after: error.progress.after });
 * ```
 */
export class CheckpointCopyError extends CheckpointError {
  override name = "CheckpointCopyError";
  /** What was done before. */
  readonly progress: CopyProgress;

  constructor(problem: string, progress: CopyProgress, options: CheckpointErrorOptions = {}) {
    super("COPY_FAILED", problem, options);
    this.progress = progress;
  }
}

const copyOptions = z
  .strictObject({
    signal: abortSignal.optional(),
    after: keyText.optional(),
    dryRun: z.boolean().default(false),
    maxConcurrency: z.int().min(1).max(1_000).default(16),
    onProgress: functionSchema<NonNullable<CopyCheckpointsOptions["onProgress"]>>().optional(),
  })
  .prefault({});
