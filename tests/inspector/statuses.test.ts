import { expect, it } from "@jest/globals";
import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import * as checkpointStore from "../../src/checkpoint-store/index.js";
import * as main from "../../src/index.js";
import { errorOf, errorResponse } from "../../src/inspector/http/responses.js";
import { RefusedError } from "../../src/inspector/refused-error.js";
import * as store from "../../src/store/index.js";

const row = { threadId: "t", checkpointId: "c", channel: "x" };
const item = { namespace: ["a"], key: "k" };
const VECTORS = { model: "a", dims: 1, type: "vector", distance: "cosine" } as const;
const NO_PROGRESS = { total: 0, threads: 0, checkpoints: 0, skipped: 0 };
const NO_COPY = { total: 0, read: 0, created: 0, replaced: 0, unchanged: 0, after: undefined };

/** An error of each exported class, and the status of a call that fails with it. */
const ERRORS: readonly (readonly [main.CheckpointError, number])[] = [
  [new main.InvalidConfigError("args.key", "is missing"), 400],
  [new main.SerializationError("a", "is a function"), 400],
  [new main.BackupError("is empty"), 400],
  [new store.StoreBackupError("is empty"), 400],
  [new store.ItemSchemaError(item, []), 400],
  [new main.PermissionError("permission denied"), 403],
  [new main.HiddenRowsError("public", ["checkpoints"]), 403],
  [new main.RowSecurityError("public", ["checkpoints"]), 403],
  [new main.CheckpointNotFoundError(row), 404],
  [new main.ConcurrentModificationError({ ...row, parentCheckpointId: "a", headCheckpointId: "b" }), 409],
  [new main.ThreadExistsError("s", row), 409],
  [new main.ThreadLockedError("t", 0), 409],
  [new store.VersionConflictError({ ...item, expectedVersion: 1, currentVersion: 2 }), 409],
  [new main.ThreadDeletedError("t", new Date(0)), 410],
  [new main.CheckpointTooLargeError("is too large", { bytes: 2, maxBytes: 1 }), 413],
  [new main.DeserializationError("is encrypted"), 422],
  [new main.BrokenChainError("a row is missing"), 422],
  [new main.CorruptCheckpointError("no header"), 422],
  [new main.WritesMissingError("no writes", row), 422],
  [new main.CheckpointError("DATABASE_ERROR", "failed"), 500],
  [new main.DatabaseError("failed"), 500],
  [new main.MigrationError("failed"), 500],
  [new main.MigrationRequiredError("public", "migrate first"), 500],
  [new main.IncompatibleTablesError("public", "javascript-store", "convert first"), 500],
  [new main.VectorExtensionError(), 500],
  [new main.ArchiveError("f", "can't be read"), 500],
  [new main.ThreadCopyError("failed", NO_PROGRESS), 500],
  [new checkpointStore.CheckpointCopyError("failed", NO_COPY), 500],
  [new store.InvalidEmbeddingError("no numbers"), 500],
  [new store.EmbeddingMismatchError(VECTORS, { dims: 2 }, "reembed"), 500],
  [new main.ReadOnlyError("a standby"), 503],
  [new main.DiskFullError("full"), 503],
  [new main.AbortError(), 503],
  [new main.ConnectionError("lost"), 503],
  [new main.ClockBehindError("behind", { ...row, behindMs: 1 }), 503],
  [new main.ThreadLockLostError("t"), 503],
  [new main.StatementTimeoutError(1), 504],
  [new main.StatementCancelledError("cancelled"), 504],
  [new main.NotReplicatedError(), 504],
];

it.each(ERRORS.map(([error, status]) => [error.name, error, status] as const))(
  "a call that fails with %s has its status",
  (_name, error, status) => {
    expect(errorResponse(error).status).toBe(status);
    expect(errorOf(error).code).toBe(error.code);
  },
);

it("every exported class of errors has a status here", () => {
  const exported = [main, store, checkpointStore].flatMap((entry) => Object.values<unknown>(entry));
  const isError = (value: unknown) =>
    typeof value === "function" &&
    (value === main.CheckpointError || value.prototype instanceof main.CheckpointError);
  expect(new Set(ERRORS.map(([error]) => error.constructor))).toEqual(new Set(exported.filter(isError)));
});

it("says nothing of other errors, but why a store takes no namespace", async () => {
  const answers = [
    new Error("postgres://user:secret@host"),
    "text",
    undefined,
    new InvalidNamespaceError("Namespace cannot be empty."),
    new RefusedError(418, "TEAPOT", "no coffee"),
  ].map(async (error) => {
    const response = errorResponse(error);
    return [response.status, ((await response.json()) as { error: object }).error];
  });
  const unknown = [500, { code: "INTERNAL_ERROR", message: "the call failed" }];
  expect(await Promise.all(answers)).toEqual([
    ...[unknown, unknown, unknown],
    [400, { code: "INVALID_CONFIG", message: "Namespace cannot be empty." }],
    [418, { code: "TEAPOT", message: "no coffee" }],
  ]);
});
