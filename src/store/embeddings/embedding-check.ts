import { DatabaseError, VectorExtensionError } from "../../errors/index.js";
import { type EmbeddingKind, EmbeddingMismatchError } from "../../errors/store-errors.js";
import { shellCommand } from "../../db/migrate-command.js";
import { runTransaction } from "../../db/statements/run-statement.js";
import { distanceOfOperators, VECTOR_DISTANCES } from "../../migrations/vector-layout.js";
import type { VectorSettings } from "./embed-texts.js";
import {
  claimModel,
  embeddingState,
  type EmbeddingStateRow,
  type KnownEmbeddings,
  REFUSED_STATE,
  vectorIndexState,
  type VectorIndexRow,
  type IndexSearch,
} from "../queries/embedding-state.js";
import { sendAlone, type StoreCall } from "../store-call.js";
import type { GuardStep } from "../../db/statements/transaction-steps.js";

/** The first version of pgvector with iterative scans, without which a search with a filter finds too little. */
const OLDEST_PGVECTOR = [0, 8];

/** Vectors of different numbers of dimensions, a vector of another type than the column, or a statement that refuses. */
const MISMATCH_STATES = new Set(["22000", "42804", "42883", REFUSED_STATE]);

const checked = new WeakSet<VectorSettings>();

/**
 * Checks once for each store that the tables have embeddings of its model, number of dimensions, type and distance. The first store
 * names the model.
 *
 * @throws EmbeddingMismatchError where they have others.
 * @throws VectorExtensionError where pgvector is too old.
 */
export async function checkEmbeddings(call: StoreCall, vectors: VectorSettings): Promise<void> {
  if (checked.has(vectors)) return;
  const { schema } = call;
  const rows = await runTransaction<VectorIndexRow | EmbeddingStateRow>(call, {
    statements: [vectorIndexState(schema), embeddingState(schema)],
    atAnyLevel: true,
  });
  const index = rows[0]?.find((row) => "version" in row);
  if (isOlder(index?.version ?? "0", OLDEST_PGVECTOR))
    throw new VectorExtensionError({}, index?.version ?? undefined);
  let state = rows[1]?.find((row) => "model" in row);
  if (state?.model === null) {
    await sendAlone(call, claimModel(schema, vectors.model));
    [state] = await sendAlone(call, embeddingState(schema));
  }
  refuseMismatch(call, vectors, state);
  const distance = distanceOf(index?.indexes ?? "");
  if (distance !== undefined && distance !== vectors.layout.distance) {
    throw mismatch(call, vectors, { ...kindOf(state), distance });
  }
  checked.add(vectors);
}

/** @throws EmbeddingMismatchError where the tables have embeddings of another model, number of dimensions or type. */
export function refuseMismatch(
  call: StoreCall,
  vectors: VectorSettings,
  state: EmbeddingStateRow | undefined,
): void {
  const { model, dims, type } = kindOf(state);
  const { layout } = vectors;
  if (model === vectors.model && dims === layout.dims && type === layout.type) return;
  throw mismatch(call, vectors, { ...kindOf(state) });
}

/**
 * Refuses the transaction where other embeddings have replaced those that the store knows.
 *
 * @param search - How the rest of the transaction searches the index.
 */
export function stateStep(
  call: StoreCall,
  vectors: VectorSettings,
  search?: IndexSearch,
): GuardStep<EmbeddingStateRow> {
  return {
    statement: embeddingState(call.schema, search),
    check: ([state]) => {
      refuseMismatch(call, vectors, state);
    },
  };
}

/** Runs statements on embeddings. Where other embeddings have replaced those that the store knows, the error says so. */
export async function explainingMismatch<T>(
  call: StoreCall,
  vectors: VectorSettings,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (
      error instanceof DatabaseError &&
      MISMATCH_STATES.has(error.sqlState ?? "") &&
      !call.database.kysely.isTransaction
    ) {
      const [state] = await sendAlone(call, embeddingState(call.schema));
      refuseMismatch(call, vectors, state);
    }
    throw error;
  }
}

/** The embeddings of a store, for statements that refuse to write where others have replaced them. */
export function knownEmbeddings({ schema, settings }: StoreCall): KnownEmbeddings | undefined {
  const { vectors } = settings;
  if (vectors === undefined) return undefined;
  const { type, dims } = vectors.layout;
  return { schema, model: vectors.model, columnType: `${type}(${dims})` };
}

/** The kind of the stored embeddings, as far as the tables record it. */
export function kindOf(state: EmbeddingStateRow | undefined): Partial<EmbeddingKind> {
  // The type has the schema of the extension before it, where that is not in the search path.
  const [, type, dims] = /\b(vector|halfvec)\((\d+)\)$/.exec(state?.column_type ?? "") ?? [];
  const model = state?.model ?? undefined;
  return {
    ...(model !== undefined && { model }),
    ...(dims !== undefined && { dims: Number(dims) }),
    ...((type === "vector" || type === "halfvec") && { type }),
  };
}

/**
 * How the indexes of the embeddings compare vectors. `undefined` without an index: then any distance is possible.
 *
 * @param indexes - As `vectorIndexState` reads them.
 */
function distanceOf(indexes: string): EmbeddingKind["distance"] | undefined {
  const found = new Set(indexes.split("\n").map(distanceOfOperators));
  return VECTOR_DISTANCES.find((distance) => found.has(distance));
}

function mismatch(
  call: StoreCall,
  { model, layout }: VectorSettings,
  stored: Partial<EmbeddingKind>,
): EmbeddingMismatchError {
  const { dims, type, distance } = layout;
  const command = shellCommand("store reembed", call.schema);
  return new EmbeddingMismatchError({ model, dims, type, distance }, stored, command);
}

function isOlder(version: string, oldest: readonly number[]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest;
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
