import type { BoundStatement } from "../../db/statements/statement.js";
import { SEEN } from "../embeddings/item-texts.js";
import type { VectorSettings } from "../embeddings/vector-settings.js";
import { dropNextVectors, dropVectors } from "../queries/drop-vectors.js";
import { embeddingState, type EmbeddingStateRow } from "../queries/embedding-state.js";
import type { ItemKey } from "../queries/item-keys.js";
import type { KeptVector } from "../queries/kept-vectors.js";
import { nextHashes } from "../queries/next-hashes.js";
import { nextState } from "../queries/next-state.js";
import { vectorHashes } from "../queries/vector-hashes.js";
import { type NextVectorRow, writeNextVectors } from "../queries/write-next-vectors.js";
import { writeVectors } from "../queries/write-vectors.js";
import type { StoreCall } from "../store-call.js";

/** A text that an item has a vector of, with the name of the vector where the statement reads it. */
export interface KnownText extends ItemKey {
  readonly hash: string | null;
  readonly field_name?: string;
}

/** The columns that vectors are written to. */
export interface ReembedTarget {
  /** Whether the columns are new, beside those that searches still use. */
  readonly rebuilds: boolean;
  /** Reads for which model the columns are. */
  readonly state: BoundStatement<EmbeddingStateRow>;
  known(keys: readonly ItemKey[]): BoundStatement<KnownText>;
  write(rows: readonly NextVectorRow[]): BoundStatement<ItemKey>;
  drop(items: readonly ItemKey[], kept: readonly KeptVector[]): BoundStatement<ItemKey>;
  /** The name of the row of an item without texts, where it needs one. */
  readonly seen: string | undefined;
}

/** The columns that searches use. */
export function presentColumns({ schema }: StoreCall, { layout }: VectorSettings): ReembedTarget {
  return {
    rebuilds: false,
    state: embeddingState(schema),
    known: (keys) => vectorHashes(schema, keys),
    write: (rows) => writeVectors(schema, layout.type, rows),
    drop: (items, kept) => dropVectors(schema, items, kept),
    seen: undefined,
  };
}

/** New columns, which replace those that searches use when they are complete. */
export function nextColumns({ schema }: StoreCall, { layout }: VectorSettings): ReembedTarget {
  return {
    rebuilds: true,
    state: nextState(schema),
    known: (keys) => nextHashes(schema, keys),
    write: (rows) => writeNextVectors(schema, layout.type, rows),
    drop: (items, kept) => dropNextVectors(schema, items, kept),
    seen: SEEN,
  };
}
