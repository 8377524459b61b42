import { noop } from "../db/async/noop.js";
import { outsideCalls } from "../telemetry/running-calls.js";
import type { OnDeleted } from "../db/scheduling/gentle-round.js";
import { sweepExpired } from "../db/scheduling/sweep-expired.js";
import { deleteBy, deleteInBatches } from "../db/statements/delete-in-batches.js";
import { inOneTransaction } from "../db/statements/run-statement.js";
import type { CacheCall } from "./cache-call.js";
import { scopeRange } from "./entry-place.js";
import { evictEntries, sweepLockName, takeSweepLock, type Bounds } from "./queries/evict-entries.js";

/** Sweeps a cache that has grown, one sweep at a time. A sweep belongs to no call. */
export class Trimming {
  readonly #sweep: () => Promise<unknown>;
  #isRunning = false;
  #hasGrown = false;

  /** @param sweep - Reports its failures itself. */
  constructor(sweep: () => Promise<unknown>) {
    this.#sweep = sweep;
  }

  /** Sweeps soon. */
  begin(): void {
    this.#hasGrown = true;
    if (!this.#isRunning) void outsideCalls(() => this.#run());
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Once more for what was stored after a sweep had measured the cache.
    while (this.#hasGrown) {
      this.#hasGrown = false;
      // A later `set` tries again after a failure.
      await this.#sweep().catch(noop);
    }
    this.#isRunning = false;
  }
}

/** A cache may exceed a bound by this part of it, for each process that writes. */
const TOLERANCE = 0.1;

/** Notices when enough was stored that the bounds of a cache may be exceeded. */
export class GrowthWatch {
  readonly #mostEntries: number;
  readonly #mostBytes: number;
  #entries = 0;
  #bytes = 0;

  constructor({ maxEntries, maxBytes }: Bounds) {
    this.#mostEntries = maxEntries === null ? Infinity : maxEntries * TOLERANCE;
    this.#mostBytes = maxBytes === null ? Infinity : maxBytes * TOLERANCE;
  }

  /** Counts what was stored, and returns whether it is time to compare the whole cache with its bounds. */
  stored(entries: number, bytes: number): boolean {
    this.#entries += entries;
    this.#bytes += bytes;
    if (this.#entries < this.#mostEntries && this.#bytes < this.#mostBytes) return false;
    this.#entries = 0;
    this.#bytes = 0;
    return true;
  }
}

/** The entries that one transaction evicts: more, since each one measures the whole cache first. */
const EVICTED = 5_000;

/** Deletes all entries that have expired or exceed the bounds, in bounded transactions. Returns their number. */
export async function sweepEntries(call: CacheCall, onDeleted?: OnDeleted): Promise<number> {
  const { schema, settings } = call;
  const table = { table: "cache_entries", scope: "namespace" } as const;
  const expired = await sweepExpired(call, table, sweepLockName(schema), onDeleted);
  if (settings.maxEntries === null && settings.maxBytes === null) return expired;
  return expired + (await deleteInBatches(() => evict(call), EVICTED, onDeleted));
}

/** Deletes some of the entries that exceed the bounds, unless another process does so at the same moment. */
function evict(call: CacheCall): Promise<readonly unknown[]> {
  const { schema, settings } = call;
  return inOneTransaction(call, async (within) => {
    const [lock] = await within.database.execute(takeSweepLock(schema));
    if (lock?.is_alone !== true) return [];
    return deleteBy(within, evictEntries(schema, scopeRange(settings.scope), settings, EVICTED))();
  });
}
