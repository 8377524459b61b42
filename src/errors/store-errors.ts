import { CheckpointError } from "./checkpoint-error.js";

/** Where an item of a store is. */
export interface ItemLocation {
  /** The labels of the namespace. */
  readonly namespace: readonly string[];
  readonly key: string;
}

/** An item, as messages name it. */
export function describeItem({ namespace, key }: ItemLocation): string {
  return `item ${JSON.stringify(key)} of namespace ${JSON.stringify(namespace)}`;
}

/** Options of a {@link VersionConflictError}. */
export interface VersionConflict extends ItemLocation {
  /** The version that the call expected. 0 stands for no item. */
  readonly expectedVersion: number;
  /** The version of the stored item. 0 if there is none. */
  readonly currentVersion: number;
}

/**
 * The item does not have the version that `ifVersion` asks for, but `currentVersion`: someone else has written or deleted it. Nothing was
 * stored.
 *
 * @remarks Read it again, or use `update`.
 *
 * @example
 * ```ts
 * try {
 *   await store.put(["users", "7"], "profile", profile, undefined, { ifVersion: item.version });
 * } catch (error) {
 *   if (error instanceof VersionConflictError) return reload(error.currentVersion);
 *   throw error;
 * }
 * ```
 */
export class VersionConflictError extends CheckpointError {
  override name = "VersionConflictError";
  /** The labels of the namespace. */
  readonly namespace: readonly string[];
  readonly key: string;
  /** The version that the call expected. 0 stands for no item. */
  readonly expectedVersion: number;
  /** The version of the stored item. 0 if there is none. */
  readonly currentVersion: number;

  constructor({ namespace, key, expectedVersion, currentVersion }: VersionConflict) {
    const found = currentVersion === 0 ? "there is no such item" : `it has version ${currentVersion}`;
    super(
      "VERSION_CONFLICT",
      `${describeItem({ namespace, key })}: expected ${
        expectedVersion === 0 ? "no item" : `version ${expectedVersion}`
      }, but ${found}`,
    );
    this.namespace = namespace;
    this.key = key;
    this.expectedVersion = expectedVersion;
    this.currentVersion = currentVersion;
  }
}

/**
 * A value does not fit the schema that the store has for its namespace; `issues` say why. Nothing was stored, or nothing is returned.
 *
 * @remarks Correct the value, or the schema. Change stored items before a schema becomes stricter.
 */
export class ItemSchemaError extends CheckpointError {
  override name = "ItemSchemaError";
  /** The labels of the namespace. */
  readonly namespace: readonly string[];
  readonly key: string;
  /** The problems, as the schema reports them. */
  readonly issues: readonly { readonly message: string }[];

  constructor({ namespace, key }: ItemLocation, issues: readonly { readonly message: string }[]) {
    const [first] = issues;
    super(
      "ITEM_SCHEMA",
      `${describeItem({ namespace, key })} does not fit the schema of its namespace: ${
        first?.message ?? "no reason given"
      }`,
    );
    this.namespace = namespace;
    this.key = key;
    this.issues = issues;
  }
}

/**
 * What the embedding model returned can't be stored: a vector of another length, for example. Nothing was stored.
 *
 * @remarks Check the model and `dims`.
 */
export class InvalidEmbeddingError extends CheckpointError {
  override name = "InvalidEmbeddingError";
  constructor(problem: string) {
    super("INVALID_EMBEDDING", problem);
  }
}

/** What makes the embeddings of a store: two that differ in any of it can't be compared. */
export interface EmbeddingKind {
  readonly model: string;
  readonly dims: number;
  readonly type: "vector" | "halfvec";
  readonly distance: "cosine" | "l2" | "inner_product";
}

/**
 * The stored embeddings are of another model, number of dimensions, type or distance than the option `index` of the store says. Nothing
 * was read or written.
 *
 * @remarks Give the option of the tables, or run the command in the message, which embeds all items again.
 */
export class EmbeddingMismatchError extends CheckpointError {
  override name = "EmbeddingMismatchError";
  /** What the option `index` says. */
  readonly expected: EmbeddingKind;
  /** What the tables have. A property is absent where it could not be determined. */
  readonly stored: Partial<EmbeddingKind>;

  constructor(expected: EmbeddingKind, stored: Partial<EmbeddingKind>, command: string) {
    super(
      "EMBEDDING_MISMATCH",
      `the stored embeddings are of ${described(stored)}, but the option "index" says ${described(expected)}. To embed all ` +
        `items again, call store.reembed() or run \`${command}\``,
    );
    this.expected = expected;
    this.stored = stored;
  }
}

function described({ model, dims, type, distance }: Partial<EmbeddingKind>): string {
  return `model ${JSON.stringify(model ?? null)}, ${type ?? "unknown"}(${dims ?? "?"}), ${distance ?? "no index"}`;
}
