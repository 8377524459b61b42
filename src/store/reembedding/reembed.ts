import { growingPauses, retry } from "../../db/async/retry.js";
import { withinTime } from "../../db/async/within-time.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { isLockTimeout } from "../../db/statements/lock-timeout.js";
import { inOneTransaction, runTransaction } from "../../db/statements/run-statement.js";
import { CheckpointError, InvalidConfigError } from "../../errors/index.js";
import { operatorClass } from "../../migrations/vector-index.js";
import { checkEmbeddings, kindOf, refuseMismatch } from "../vectors/embedding-check.js";
import type { VectorSettings } from "../embeddings/vector-settings.js";
import { embeddingState } from "../queries/embedding-state.js";
import type { ItemKey } from "../queries/item-keys.js";
import { countUnembedded, selectUnembedded, type UnembeddedRow } from "../queries/select-unembedded.js";
import { vectorIndexState } from "../queries/vector-index-state.js";
import type { StoreCall } from "../store-call.js";
import type { ReembedProgress } from "../store-options.js";
import { embedBatch } from "./embed-batch.js";
import { addNextColumns, buildNextIndex, lockOutWriters, replaceColumns } from "./replace-columns.js";
import { nextColumns, presentColumns, type ReembedTarget } from "./reembed-target.js";

/** The parsed options of a call. */
export interface ReembedPlan {
  /** The items of one transaction. */
  readonly batchSize: number;
  readonly onProgress?: ((progress: ReembedProgress) => void) | undefined;
}

/** How long the exchange of the columns waits for a lock, while searches wait behind it, in milliseconds. */
const LOCK_TIMEOUT_MS = 500;
const PAUSES = /* @__PURE__ */ growingPauses(40, 1_000);
/** After so many attempts, the items that were written meanwhile are embedded while their writers wait. */
const PATIENT_ATTEMPTS = 3;
/** How long they wait for the model, in milliseconds. */
const MODEL_TIMEOUT_MS = 5_000;

/** Embeds all items that need it; see `ItemStore.reembed`. */
export async function reembed(
  call: StoreCall,
  vectors: VectorSettings,
  plan: ReembedPlan,
): Promise<{ embedded: number }> {
  const run = new Reembedding(call, vectors, plan);
  await run.all();
  return { embedded: run.embedded };
}

class Reembedding {
  readonly #call: StoreCall;
  readonly #vectors: VectorSettings;
  readonly #plan: ReembedPlan;
  #progress: ReembedProgress = { done: 0, total: 0 };
  embedded = 0;

  constructor(call: StoreCall, vectors: VectorSettings, plan: ReembedPlan) {
    this.#call = call;
    this.#vectors = vectors;
    this.#plan = plan;
  }

  async all(): Promise<void> {
    if (await this.#fits()) {
      await checkEmbeddings(this.#call, this.#vectors);
      const present = presentColumns(this.#call, this.#vectors);
      await this.#begin(present);
      await this.#pass(present);
    } else {
      await this.#rebuild(nextColumns(this.#call, this.#vectors));
    }
    this.#report(this.#progress.total);
  }

  /** Whether the columns that searches use and their index are what the store needs. */
  async #fits(): Promise<boolean> {
    const { schema, policy } = this.#call;
    const { model, layout } = this.#vectors;
    const [[state] = []] = await runTransaction(this.#call, { statements: [embeddingState(schema)] });
    const [[catalog] = []] = await runTransaction(this.#call, { statements: [vectorIndexState(schema)] });
    const stored = kindOf(state);
    const fits =
      (stored.model ?? model) === model &&
      stored.dims === layout.dims &&
      stored.type === layout.type &&
      (catalog?.indexes ?? "").split("\n").includes(indexName(this.#vectors));
    // It would drop the embeddings of the rows that it does not see.
    if (!fits && (policy.tenantId !== undefined || catalog?.hides_rows === true)) {
      throw new InvalidConfigError(
        "reembed",
        "needs a role that sees the items of all tenants, and no tenantId",
      );
    }
    return fits;
  }

  async #rebuild(target: ReembedTarget): Promise<void> {
    await addNextColumns(this.#call, this.#vectors);
    await this.#begin(target);
    await this.#pass(target);
    await buildNextIndex(this.#call, this.#vectors);
    const exchange = async (attempt: number): Promise<boolean> => {
      if (attempt > 1) await this.#pass(target);
      return this.#exchange(target, attempt);
    };
    const { signal } = this.#call;
    await retry(exchange, { pauseMs: PAUSES, signal, afterResult: (isDone) => !isDone });
  }

  async #begin({ rebuilds }: ReembedTarget): Promise<void> {
    const statements = [countUnembedded(this.#call.schema, rebuilds)];
    const [[count] = []] = await runTransaction(this.#call, { statements });
    this.#progress = { done: 0, total: count?.items ?? 0 };
    this.#report(0);
  }

  /** Embeds the items one batch after another. */
  async #pass(target: ReembedTarget): Promise<void> {
    const { schema, signal } = this.#call;
    const { batchSize: limit } = this.#plan;
    let after: ItemKey | undefined;
    do {
      throwIfAborted(signal);
      const statement = selectUnembedded(schema, { rebuilds: target.rebuilds, after, limit });
      const [rows = []] = await runTransaction(this.#call, { statements: [statement] });
      if (rows.length > 0) {
        this.embedded += await embedBatch(this.#call, this.#vectors, target, rows);
        this.#report(this.#progress.done + rows.length);
      }
      after = rows.length < limit ? undefined : rows.at(-1);
    } while (after !== undefined);
  }

  /** Replaces the columns that searches use, unless others have written too many items meanwhile. */
  async #exchange(target: ReembedTarget, attempt: number): Promise<boolean> {
    const call = { ...this.#call, lockTimeoutMs: LOCK_TIMEOUT_MS };
    const allowed = attempt > PATIENT_ATTEMPTS ? this.#plan.batchSize : 0;
    try {
      return await inOneTransaction(call, async (within) => {
        const { execute } = within.database;
        await lockOutWriters(within, execute);
        const [state] = await execute(target.state);
        refuseMismatch(call, this.#vectors, state);
        const query = { rebuilds: true, after: undefined, limit: allowed + 1 };
        const rows = await execute(selectUnembedded(call.schema, query));
        if (rows.length > allowed) return false;
        if (rows.length > 0) this.embedded += await this.#embedBriefly(within, target, rows);
        await replaceColumns(within, this.#vectors, execute);
        return true;
      });
    } catch (error) {
      if (isLockTimeout(error) || error instanceof ModelTooSlowError) return false;
      throw error;
    }
  }

  /** Embeds items while writers wait, for a short time. */
  async #embedBriefly(
    within: StoreCall,
    target: ReembedTarget,
    rows: readonly UnembeddedRow[],
  ): Promise<number> {
    const { signal: given } = this.#call;
    return withinTime({ signal: given, limitMs: MODEL_TIMEOUT_MS }, async (signal) => {
      try {
        return await embedBatch({ ...within, signal }, this.#vectors, target, rows);
      } catch (error) {
        if (signal.aborted && given?.aborted !== true) throw new ModelTooSlowError();
        throw error;
      }
    });
  }

  #report(done: number): void {
    this.#progress = { ...this.#progress, done: Math.min(done, this.#progress.total) };
    this.#plan.onProgress?.(this.#progress);
  }
}

/** The model took too long for writers that wait. */
class ModelTooSlowError extends CheckpointError {
  override name = "ModelTooSlowError";
  constructor() {
    super("MODEL_TOO_SLOW", "the embedding model took too long");
  }
}

/** The index that the store needs, as `vectorIndexState` names it. */
function indexName({ layout: { index, type, distance } }: VectorSettings): string {
  return index.kind === "flat" ? "" : `${index.kind} ${operatorClass(type, distance)}`;
}
