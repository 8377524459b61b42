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
    const stored = this.load(checkpoint.id);
    if (
      onlyNewer &&
      stored &&
      stored.version >= checkpoint.version &&
      !isDeepStrictEqual(stored, checkpoint)
    ) {
      return stored.version;
    }
    this.delete(checkpoint.id);
    this.#checkpoints.push(checkpoint);
    const scope = keptScope(checkpoint);
    if (keepLast === undefined || scope === undefined) return undefined;
    for (const { id } of this.list(scope).slice(0, -keepLast)) if (id !== checkpoint.id) this.delete(id);
    return undefined;
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
