import { isDeepStrictEqual } from "node:util";
import type { CheckpointScope, ExecutionCheckpoint } from "../../../src/checkpoint-store/index.js";

/** A checkpoint store as a plain list, with nothing of the sources. It is slow, and has no options but these. */
export class ModelStore {
  #checkpoints: ExecutionCheckpoint[] = [];

  /** Returns the stored version where the save is refused. */
  save(
    checkpoint: ExecutionCheckpoint,
    keepLast: number | undefined,
    onlyNewer: boolean,
  ): number | undefined {
    const refusing = onlyNewer ? this.#refusing(checkpoint) : undefined;
    if (refusing !== undefined) return refusing;
    this.#put(checkpoint);
    this.#trim(checkpoint, keepLast);
    return undefined;
  }

  /** Returns the stored version that refuses the first of the checkpoints, by their ids. */
  saveMany(
    checkpoints: readonly ExecutionCheckpoint[],
    keepLast: number | undefined,
    onlyNewer: boolean,
  ): number | undefined {
    const sorted = [...checkpoints].sort((one, other) => (one.id < other.id ? -1 : 1));
    const [refusing] = onlyNewer ? sorted.flatMap((each) => this.#refusing(each) ?? []) : [];
    if (refusing !== undefined) return refusing;
    for (const each of checkpoints) this.#put(each);
    for (const each of checkpoints) {
      const scope = keptScope(each);
      const rest =
        scope === undefined ? [] : checkpoints.filter(({ metadata }) => isEqualScope(metadata, each));
      if (rest.every((other) => placeOf(other) <= placeOf(each))) this.#trim(each, keepLast);
    }
    return undefined;
  }

  #refusing(checkpoint: ExecutionCheckpoint): number | undefined {
    const stored = this.load(checkpoint.id);
    if (stored === undefined || stored.version < checkpoint.version) return undefined;
    return isDeepStrictEqual(stored, checkpoint) ? undefined : stored.version;
  }

  #put(checkpoint: ExecutionCheckpoint): void {
    this.delete(checkpoint.id);
    this.#checkpoints.push(checkpoint);
  }

  #trim(saved: ExecutionCheckpoint, keepLast: number | undefined): void {
    const scope = keptScope(saved);
    if (keepLast === undefined || scope === undefined) return;
    for (const { id } of this.list(scope).slice(0, -keepLast)) if (id !== saved.id) this.delete(id);
  }

  load(id: string): ExecutionCheckpoint | undefined {
    return this.#checkpoints.find((each) => each.id === id);
  }

  list(scope: CheckpointScope): ExecutionCheckpoint[] {
    return this.#checkpoints
      .filter(({ metadata }) => isIn(scope, metadata))
      .map((checkpoint) => ({ checkpoint, place: placeOf(checkpoint) }))
      .sort((one, other) => (one.place < other.place ? -1 : 1))
      .map(({ checkpoint }) => checkpoint);
  }

  delete(id: string): boolean {
    const before = this.#checkpoints.length;
    this.#checkpoints = this.#checkpoints.filter((each) => each.id !== id);
    return this.#checkpoints.length < before;
  }

  clear(scope: CheckpointScope): number {
    const before = this.#checkpoints.length;
    this.#checkpoints = this.#checkpoints.filter(({ metadata }) => !isIn(scope, metadata));
    return before - this.#checkpoints.length;
  }
}

function keptScope({ metadata }: ExecutionCheckpoint): CheckpointScope | undefined {
  if (typeof metadata?.execution_id === "string") return metadata.execution_id;
  return typeof metadata?.thread_id === "string" ? { threadId: metadata.thread_id } : undefined;
}

function isEqualScope(metadata: ExecutionCheckpoint["metadata"], other: ExecutionCheckpoint): boolean {
  return isDeepStrictEqual(keptScope({ ...other, metadata }), keptScope(other));
}

function isIn(scope: CheckpointScope, metadata: ExecutionCheckpoint["metadata"]): boolean {
  if (typeof scope === "string") return metadata?.execution_id === scope;
  return "executionId" in scope
    ? metadata?.execution_id === scope.executionId
    : metadata?.thread_id === scope.threadId;
}

/** A text of ASCII that sorts as a checkpoint does. */
function placeOf({ timestamp, version, id }: ExecutionCheckpoint): string {
  const numbers = [timestamp.getTime() + 1e15, version].map((number) => String(number).padStart(20, "0"));
  return [...numbers, Buffer.from(id).toString("hex")].join(" ");
}
