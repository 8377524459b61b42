import type { GroupedCall } from "../../db/grouping/group-rules.js";
import { bytesOfValues } from "../codec/call-size.js";
import type { BatchOperation } from "../codec/resolve-batch.js";
import { type NamespaceKey, rowKey } from "../model/keys.js";

/** How many calls share a statement at most, and how many bytes. A statement must not delay its calls by much. */
const MAX_CALLS = 100;
const MAX_BYTES = 512 * 1_024;

/** A call that stores more is sent by itself, in bytes. */
const MAX_BYTES_OF_CALL = 64 * 1_024;

/** What a group needs to know of a call. */
export interface GroupMember {
  readonly operation: BatchOperation;
  /** The size of what it stores, as {@link bytesOf} returns it. */
  readonly bytes: number;
  /** A call with a signal is sent by itself, so that the server can cancel it alone. */
  readonly signal?: AbortSignal | undefined;
}

/** Whether a call may share a statement with others. */
export function mayShare({ bytes, signal }: GroupMember): boolean {
  return signal === undefined && bytes <= MAX_BYTES_OF_CALL;
}

/** A call of a saver that stores or deletes. */
export type StoredCall = GroupMember & GroupedCall;

/** Collects the calls that share a statement. */
export class GroupContent<Call extends GroupMember> {
  readonly #calls: Call[] = [];
  #bytes = 0;
  #deletes: boolean | undefined;
  /** The namespaces that get a checkpoint. */
  readonly #namespaces = new Set<string>();

  /** In the order in which they were added. */
  get calls(): readonly Call[] {
    return this.#calls;
  }

  /** Adds a call, or returns false where it has to wait for the next statement. */
  add(call: Call): boolean {
    if (!mayShare(call) || !this.#hasRoomFor(call)) return false;
    const { operation } = call;
    this.#deletes = operation.kind === "deleteThread";
    if (operation.kind === "put") this.#namespaces.add(namespaceOf(operation.checkpoint));
    this.#bytes += call.bytes;
    this.#calls.push(call);
    return true;
  }

  #hasRoomFor({ operation, bytes }: GroupMember): boolean {
    if (this.#calls.length === 0) return true;
    if (this.#calls.length >= MAX_CALLS || this.#bytes + bytes > MAX_BYTES) return false;
    // Deletions go together, because they take long.
    if (this.#deletes !== (operation.kind === "deleteThread")) return false;
    // The checkpoints of a namespace may require each other, or have a value in common, and each is stored or refused by itself (C14).
    return operation.kind !== "put" || !this.#namespaces.has(namespaceOf(operation.checkpoint));
  }
}

function namespaceOf({ threadId, checkpointNs }: NamespaceKey): string {
  return rowKey(threadId, checkpointNs);
}

/** Returns the approximate size of what an operation stores. */
export function bytesOf(operation: BatchOperation): number {
  switch (operation.kind) {
    case "put": {
      const { checkpoint, metadata, blobs } = operation.checkpoint;
      return bytesOfValues(blobs) + checkpoint.length + metadata.length;
    }
    case "putWrites":
      return bytesOfValues(operation.writes.writes);
    case "deleteThread":
      return 0;
  }
}
