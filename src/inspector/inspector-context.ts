import type { CheckpointSaver } from "../checkpoint-saver.js";
import type { OpenedSaver } from "../saver/open-saver.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import type { ItemStore } from "../store/item-store.js";
import type { ParsedInspectorOptions } from "./inspector-options.js";

/** What the requests of an inspector share. */
export interface InspectorContext extends ParsedInspectorOptions {
  /** Reads what its public methods read. */
  readonly saver: CheckpointSaver;
  /** What the queries of the inspector are sent with: the saver's database, schema and tenant. */
  readonly call: SaverCall;
  /** Aborts when the saver is closed. */
  readonly ended: AbortSignal;
  /** Returns the saver that writes to a thread. */
  readonly writerFor: WriterFor;
  /** The store that writes items, where that is not the one that reads them. */
  readonly itemWriter: ItemStore | undefined;
}

/** What changes something for an inspector, where that is not what it reads with. */
export interface InspectorWriters {
  readonly writerFor?: WriterFor | undefined;
  readonly items?: ItemStore | undefined;
}

/**
 * Returns a saver that writes values as the thread has them.
 *
 * @param place - The namespace that is written to, and the checkpoints whose values decide.
 */
export type WriterFor = (place: {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointIds: readonly string[];
}) => Promise<CheckpointSaver>;

export function inspectorContext(
  { call, ended }: OpenedSaver,
  saver: CheckpointSaver,
  options: ParsedInspectorOptions,
  { writerFor = () => Promise.resolve(saver), items }: InspectorWriters = {},
): InspectorContext {
  return { ...options, saver, call, ended: ended.signal, writerFor, itemWriter: items };
}
