import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../errors/index.js";
import { compareText } from "../../saver/model/keys.js";
import { unwrapSnapshot } from "../../saver/codec/special-values.js";
import type { CheckedUpdate, CheckedValue, CreatedCheckpoint, StateUpdate } from "../api/changes.js";
import type { CallRun } from "../calls/call-definition.js";
import { messageOfGraph } from "../message-of.js";
import { RefusedError } from "../refused-error.js";
import { checkpointNotFound, configOfPlace, createdCheckpoint } from "../stored-values/read-stored-value.js";
import { valueNodeOf } from "../values/describe-value.js";
import { describeState } from "../values/next-nodes.js";
import type { InspectedGraph } from "./inspected-graph.js";
import { holdingThread } from "./start-run.js";
import { requireGraph } from "./thread-graphs.js";

/** Says what an update of a state would store, by the reducers of the graph. It stores nothing. */
export async function checkUpdate(run: CallRun, update: StateUpdate): Promise<CheckedUpdate> {
  const graph = await requireGraph(run, update.graph, update);
  const before = await run.context.saver.getTuple(configOfPlace(placeOf(update)), { signal: run.signal });
  if (before === undefined) throw checkpointNotFound(placeOf(update));
  const saver = new RecordingSaver(run.context.saver);
  await updateWith(graph, update, { __pregel_checkpointer: saver });
  const { stored } = saver;
  if (stored === undefined) return { values: [], next: [] };
  return { values: changedValues(before.checkpoint, stored.checkpoint), next: nextOf(stored) };
}

/** Updates a state as a node of the graph would. */
export function updateState(run: CallRun, update: StateUpdate): Promise<CreatedCheckpoint> {
  return holdingThread(run, update.threadId, async () => {
    const graph = await requireGraph(run, update.graph, update);
    return createdCheckpoint(await updateWith(graph, update));
  });
}

function placeOf({ threadId, checkpointId }: StateUpdate) {
  return { threadId, namespace: "", checkpointId };
}

async function updateWith(
  graph: InspectedGraph,
  update: StateUpdate,
  more: Readonly<Record<string, unknown>> = {},
): Promise<RunnableConfig> {
  const configurable = { ...configOfPlace(placeOf(update)).configurable, ...more };
  try {
    return await graph.updateState({ configurable }, update.values, update.node);
  } catch (error) {
    // What the graph says is for the person, such as that the update may be of several nodes.
    if (error instanceof CheckpointError || !(error instanceof Error)) throw error;
    throw new RefusedError(422, "UPDATE_REFUSED", `the graph refuses the update: ${messageOfGraph(error)}`);
  }
}

function changedValues(before: Checkpoint, after: Checkpoint): CheckedValue[] {
  const channels = Object.keys({ ...before.channel_values, ...after.channel_values }).sort(compareText);
  return channels
    .filter((channel) => before.channel_versions[channel] !== after.channel_versions[channel])
    .map((channel) => ({
      channel,
      ...shown("before", before.channel_values, channel),
      ...shown("after", after.channel_values, channel),
    }));
}

function shown(side: "before" | "after", values: Readonly<Record<string, unknown>>, channel: string) {
  return Object.hasOwn(values, channel) ? { [side]: valueNodeOf(unwrapSnapshot(values[channel])) } : {};
}

function nextOf({ checkpoint, metadata }: Stored): readonly string[] {
  const header = {
    ...{ namespace: "", checkpointId: checkpoint.id, step: metadata.step },
    ...{ channelVersions: checkpoint.channel_versions, versionsSeen: checkpoint.versions_seen },
    values: new Map(Object.entries(checkpoint.channel_values)),
  };
  return describeState(header, []).next;
}

interface Stored {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
}

/** Reads with another saver, and only remembers what it would store. */
class RecordingSaver extends BaseCheckpointSaver {
  readonly #saver: BaseCheckpointSaver;
  stored: Stored | undefined;

  constructor(saver: BaseCheckpointSaver) {
    super(saver.serde);
    this.#saver = saver;
  }

  override getNextVersion(current: number | undefined): number {
    return this.#saver.getNextVersion(current);
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#saver.getTuple(config);
  }

  override list(...args: Parameters<BaseCheckpointSaver["list"]>): AsyncGenerator<CheckpointTuple> {
    return this.#saver.list(...args);
  }

  override put(
    { configurable }: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    this.stored = { checkpoint, metadata };
    return Promise.resolve({ configurable: { ...configurable, checkpoint_id: checkpoint.id } });
  }

  override putWrites(): Promise<void> {
    return Promise.resolve();
  }

  override deleteThread(): Promise<void> {
    return Promise.resolve();
  }
}
