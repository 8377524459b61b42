import { type Cases, type SceneCheck, withOptions } from "../suite-case.js";
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { CheckpointScope, CheckpointStore } from "../../checkpoint-store/checkpoint-store.js";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";

/** Returns an id that no other case uses. */
export function freshId(kind: string): string {
  return `${kind}_${randomUUID()}`;
}

/** Returns a time that is later than that of a scene's checkpoints by some seconds. */
export function later(seconds: number): Date {
  return new Date(Date.parse("2026-11-22T14:05:06.123Z") + seconds * 1_000);
}

/** The ids of checkpoints, in their order. */
export function idsIn(checkpoints: readonly { readonly id: string }[]): string[] {
  return checkpoints.map(({ id }) => id);
}

/** The ids of a list, in its order. */
export async function listedIds(store: CheckpointStore, scope: CheckpointScope): Promise<string[]> {
  return idsIn(await store.list(scope));
}

/** Saves checkpoints one after another. */
export async function saveAll(
  store: CheckpointStore,
  checkpoints: readonly ExecutionCheckpoint[],
): Promise<void> {
  for (const checkpoint of checkpoints) await store.save(checkpoint);
}

/** Fails unless a checkpoint can neither be loaded nor is in a list. */
export async function assertGone(
  store: CheckpointStore,
  { id, metadata }: ExecutionCheckpoint,
): Promise<void> {
  await assertRefused(() => store.load(id), { code: "CHECKPOINT_NOT_FOUND", checkpointId: id });
  for (const scope of scopesIn(metadata)) {
    assert.ok(!(await listedIds(store, scope)).includes(id), `it is listed by ${JSON.stringify(scope)}`);
  }
}

/** Fails unless a checkpoint can be loaded, is equal to this one, and is in its lists. */
export async function assertStored(store: CheckpointStore, checkpoint: ExecutionCheckpoint): Promise<void> {
  const { id, metadata } = checkpoint;
  assert.deepEqual(await store.load(id), checkpoint);
  for (const scope of scopesIn(metadata)) {
    const listed = (await store.list(scope)).filter((each) => each.id === id);
    assert.deepEqual(listed, [checkpoint], `list by ${JSON.stringify(scope)}`);
  }
}

/** The scopes that a checkpoint is listed by. */
export function scopesIn(metadata: ExecutionCheckpoint["metadata"]): CheckpointScope[] {
  const { execution_id: executionId, thread_id: threadId } = metadata ?? {};
  return [
    ...(typeof executionId === "string" && executionId !== "" ? [{ executionId }] : []),
    ...(typeof threadId === "string" && threadId !== "" ? [{ threadId }] : []),
  ];
}

/**
 * Fails unless a call is refused by an error with these fields. The fields decide, since an application may have two copies of the
 * package with the class.
 */
export async function assertRefused(
  call: () => Promise<unknown>,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const error: unknown = await call().then(
    () => assert.fail(`it is not refused by ${String(fields.code)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error, "what is thrown is no Error");
  const found = Object.fromEntries(Object.keys(fields).map((name) => [name, Reflect.get(error, name)]));
  assert.deepEqual(found, fields, `it is refused by ${error.name}: ${error.message}`);
}

/** The options that a case needs its store to have, as the stores of this library take them. */
export interface SuiteCheckpointStoreOptions {
  /** Absent in cases that do without it. */
  readonly concurrency?: "optimistic";
}

/** What a case works with. */
export interface CheckpointScene {
  readonly store: CheckpointStore;
  /** The id of an execution without checkpoints. No other case uses it. */
  readonly executionId: string;
  /** The id of a thread without checkpoints. No other case uses it. */
  readonly threadId: string;
  /** Creates a checkpoint of the execution and the thread, with a new id. It is not stored. */
  readonly checkpoint: (fields?: Partial<ExecutionCheckpoint>) => ExecutionCheckpoint;
  /** Creates as many that differ in their time, and in their state `{ n }`, the oldest first. */
  readonly sequence: (length: number) => ExecutionCheckpoint[];
}

/** Promises of checkpoint stores. */
export type CheckpointCases = Cases<CheckpointScene, SuiteCheckpointStoreOptions>;

/** Cases of stores with the option `concurrency`. */
export function optimistic(checks: Readonly<Record<string, SceneCheck<CheckpointScene>>>): CheckpointCases {
  const cases = Object.entries(checks).map(([name, check]) => [`optimistic: ${name}`, check] as const);
  return withOptions({ concurrency: "optimistic" }, Object.fromEntries(cases));
}
