import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, CheckpointMetadata, PendingWrite } from "@langchain/langgraph-checkpoint";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import { type At, configAt, describeCall } from "./histories.js";
import type { ReferenceSaver } from "./reference-saver.js";

/** A write call with concrete arguments, for a saver, a batch or the model. */
export type WriteCall = (on: CheckpointBatch) => Promise<RunnableConfig | undefined>;

/** A write call whose arguments may depend on the state of the model. */
export interface Write {
  resolve(model: ReferenceSaver, nextVersion: NextVersion): Promise<WriteCall>;
  toString(): string;
}

export type NextVersion = (current: number | string | undefined) => number | string;

/** The change of a channel: a new value, a new version without a value, no version, or a value without a new version. */
export type Change = { readonly to: unknown } | { readonly undeclared: unknown } | "emptied" | "dropped";

export interface Successor extends At {
  readonly id: string;
  readonly parent: string | undefined;
  readonly changes: Readonly<Record<string, Change | undefined>>;
  /** Whether the checkpoint also has a value without a version. */
  readonly loose: boolean;
  readonly metadata: CheckpointMetadata;
}

/** Puts a checkpoint after a parent, which may be deleted: the first, the newest, on a branch, or with a known id. */
export class PutSuccessor implements Write {
  readonly #put: Successor;

  constructor(put: Successor) {
    this.#put = put;
  }

  async resolve(model: ReferenceSaver, nextVersion: NextVersion): Promise<WriteCall> {
    const { changes, loose, metadata } = this.#put;
    const parentId = model.idOf(this.#put.parent);
    const base = parentId === undefined ? undefined : await model.recall(configAt(this.#put, parentId));
    const values = new Map(Object.entries(base?.checkpoint.channel_values ?? {}));
    const versions = new Map<string, number | string>(
      Object.entries(base?.checkpoint.channel_versions ?? {}),
    );
    const declared = new Set<string>();
    for (const [channel, change] of Object.entries(changes)) {
      if (change === undefined) continue;
      values.delete(channel);
      if (change === "dropped") versions.delete(channel);
      else versions.set(channel, nextVersion(versions.get(channel)));
      if (typeof change === "object") values.set(channel, "to" in change ? change.to : change.undeclared);
      if (change === "emptied" || (typeof change === "object" && "to" in change)) declared.add(channel);
    }
    if (loose) values.set("loose", ["no version"]);
    const newVersions = [...versions].filter(([channel]) => declared.has(channel));
    const checkpoint = checkpointOf(model.idOf(this.#put.id), values, versions);
    return (on) =>
      on.put(configAt(this.#put, parentId), checkpoint, metadata, Object.fromEntries(newVersions));
  }

  toString(): string {
    return describeCall("put", this.#put);
  }
}

export interface Again extends At {
  readonly id: string;
  readonly parent: string | undefined;
  readonly log: unknown;
  readonly metadata: CheckpointMetadata;
}

/** Puts a checkpoint again with the same id and versions, but another value of `log` and another parent. */
export class PutAgain implements Write {
  readonly #again: Again;

  constructor(again: Again) {
    this.#again = again;
  }

  async resolve(model: ReferenceSaver): Promise<WriteCall> {
    const stored = await model.getTuple(configAt(this.#again, model.idOf(this.#again.id)));
    if (stored === undefined) return () => Promise.resolve(undefined);
    const { channel_values, channel_versions } = stored.checkpoint;
    const checkpoint = { ...stored.checkpoint, channel_values: { ...channel_values, log: this.#again.log } };
    const config = configAt(this.#again, model.idOf(this.#again.parent));
    return (on) => on.put(config, checkpoint, this.#again.metadata, channel_versions);
  }

  toString(): string {
    return describeCall("put again", this.#again);
  }
}

export interface Writes extends At {
  readonly id: string;
  readonly task: string;
  readonly path: string | undefined;
  readonly pairs: PendingWrite[];
}

/** Stores writes of a checkpoint, which may not exist yet. */
export class PutWrites implements Write {
  readonly #writes: Writes;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  resolve(model: ReferenceSaver): Promise<WriteCall> {
    const { task, path, pairs } = this.#writes;
    const config = configAt(this.#writes, model.idOf(this.#writes.id));
    return Promise.resolve((on) => on.putWrites(config, pairs, task, path).then(() => undefined));
  }

  toString(): string {
    return describeCall("putWrites", this.#writes);
  }
}

export class DeleteThread implements Write {
  readonly #thread: string;

  constructor(thread: string) {
    this.#thread = thread;
  }

  resolve(): Promise<WriteCall> {
    return Promise.resolve((on) => on.deleteThread(this.#thread).then(() => undefined));
  }

  toString(): string {
    return `deleteThread ${this.#thread}`;
  }
}

function checkpointOf(
  checkpointId: string,
  values: ReadonlyMap<string, unknown>,
  versions: ReadonlyMap<string, number | string>,
): Checkpoint {
  return {
    v: 4,
    id: checkpointId,
    ts: "2026-01-02T03:04:05.678Z",
    channel_values: Object.fromEntries(values),
    channel_versions: Object.fromEntries(versions),
    versions_seen: { node: Object.fromEntries(versions) },
  };
}
