import { parse } from "../parsing/parse.js";
import { createHash, randomUUID } from "node:crypto";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { noop } from "../db/async/noop.js";
import { growingPauses, retry } from "../db/async/retry.js";
import { withinTime } from "../db/async/within-time.js";
import { runTransaction } from "../db/statements/run-statement.js";
import { MsgpackSerializer } from "../serde/msgpack/msgpack-serializer.js";
import { parsePlace, leaseText } from "./entry-place.js";
import { wrapOptions, type WrapSettings, type WrapOptions } from "./cache-options.js";
import { type CacheCall, cacheOperations, reportUnused } from "./cache-call.js";
import { type Lease, type LeaseRow, releaseLease, takeLease } from "./queries/lease.js";
import { readEntries, readEntry, type GivenEntry } from "./entry-values.js";
import type { ObservedOperation } from "../telemetry/running-calls.js";

/** The pauses between two reads of an entry that another call computes. */
const READ_PAUSES = growingPauses(10, 500);

/** Hashes arguments. */
const ARGUMENTS = new MsgpackSerializer();

/** What a wrapped function needs of its cache. */
export interface CacheAccess {
  /** The context of a call. */
  readonly call: () => CacheCall;
  /** Runs a call within the deadline of the cache. */
  readonly guarded: <T>(operation: ObservedOperation, work: (call: CacheCall) => Promise<T>) => Promise<T>;
  /** Stores an entry; see `PostgresCache.set`. */
  readonly set: (entry: GivenEntry) => Promise<void>;
  /** Whether errors of the database reject. */
  readonly throwsErrors: boolean;
}

/** Wraps a function, so that one call at a time computes a result; see `PostgresCache.wrap`. */
export function wrapFunction<Args extends readonly unknown[], Result>(
  access: CacheAccess,
  run: (...args: Args) => Result | Promise<Result>,
  options: WrapOptions<Args>,
): (...args: Args) => Promise<Result> {
  const settings = parse(wrapOptions, options, "options");
  return async (...args) => {
    const key = keyOf(access, settings, options.key === undefined ? args : options.key(...args));
    if (key === undefined) return run(...args);
    const flight = new Flight(access, settings, key);
    return (await flight.result(() => run(...args))) as Result;
  };
}

/** The key of a call. `undefined` for arguments that can't be hashed. */
function keyOf(
  { call }: CacheAccess,
  { namespace }: WrapSettings,
  given: string | readonly unknown[],
): CacheFullKey | undefined {
  if (typeof given === "string") return [namespace, given];
  const context = call();
  try {
    const [, bytes] = ARGUMENTS.dumps([...given]);
    return [namespace, createHash("sha256").update(bytes).digest("hex")];
  } catch (error) {
    reportUnused(context, "refused", "a call was not cached", error);
    return undefined;
  }
}

interface FoundValue {
  readonly value: unknown;
}

/** One call of a wrapped function. */
class Flight {
  readonly #access: CacheAccess;
  readonly #settings: WrapSettings;
  readonly #key: CacheFullKey;
  #lease: Lease | undefined;

  constructor(access: CacheAccess, settings: WrapSettings, key: CacheFullKey) {
    this.#access = access;
    this.#settings = settings;
    this.#key = key;
  }

  /** Returns the entry, waits for it while another call computes it, or computes it. */
  async result(compute: () => unknown): Promise<unknown> {
    const { ttl } = this.#settings;
    try {
      const found = await this.#findUnlessUnreachable();
      if (found !== undefined) return found.value;
      const value = await compute();
      await this.#access.set({ key: this.#key, value, ...(ttl !== undefined && { ttl }) });
      return value;
    } finally {
      await this.#release();
    }
  }

  async #findUnlessUnreachable(): Promise<FoundValue | undefined> {
    try {
      return await this.#find();
    } catch (error) {
      if (this.#access.throwsErrors) throw error;
      return undefined;
    }
  }

  /** Waits until there is an entry, which it returns, or this call has to compute it, with the lease or without. */
  async #find(): Promise<FoundValue | undefined> {
    const { call: newCall, guarded } = this.#access;
    const { leaseSeconds } = this.#settings;
    const { settings } = newCall();
    const place = parsePlace(settings.scope, this.#key);
    const leasePlace = { namespace: leaseText(settings.scope, this.#key[0]), key: place.key };
    const lease = { place: leasePlace, token: randomUUID(), seconds: leaseSeconds };
    const read = async (call: CacheCall): Promise<LeaseRow | undefined> => {
      const [rows = []] = await runTransaction(call, { statements: [takeLease(call.schema, place, lease)] });
      return rows[0];
    };
    const row = await withinTime({ limitMs: leaseSeconds * 1_000 }, (over) =>
      retry(() => guarded(cacheOperations["cache.lease"], read), {
        pauseMs: READ_PAUSES,
        over,
        afterResult: (row) => !isFound(row) && row?.is_taken !== true,
      }),
    );
    if (isFound(row)) return readEntry(newCall(), place, row);
    if (row?.is_taken !== true) return undefined;
    this.#lease = lease;
    // The last holder of the lease may have stored the entry after the statement began.
    const [stored] = await guarded(cacheOperations["cache.get"], (call) => readEntries(call, [this.#key]));
    return stored;
  }

  /** Ends the lease, so that the next call computes what this one could not store. Where that fails, the lease expires. */
  async #release(): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    await this.#access
      .guarded(cacheOperations["cache.lease"], (call) =>
        runTransaction(call, { statements: [releaseLease(call.schema, lease)] }),
      )
      .catch(noop);
  }
}

function isFound(row: LeaseRow | undefined): row is LeaseRow & { type: string; base64: string } {
  return typeof row?.type === "string" && typeof row.base64 === "string";
}
