import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  MemorySaver,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";

/**
 * A checkpoint that is put again keeps its parent, as with the official saver. LangGraph's in-memory saver would make it its own
 * parent, and its history a cycle.
 */
export class ReferenceSaver extends MemorySaver {
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { checkpoint_id: parent, ...namespace } = config.configurable ?? {};
    const there = await this.getTuple({ configurable: { ...namespace, checkpoint_id: checkpoint.id } });
    const first: unknown = there === undefined ? parent : there.parentConfig?.configurable?.checkpoint_id;
    return super.put({ configurable: { ...namespace, checkpoint_id: first } }, checkpoint, metadata);
  }
}

/** Stores everything in another saver too, so that both have the same checkpoints and the same tasks. */
export class MirroredSaver extends ReferenceSaver {
  readonly #mirror: BaseCheckpointSaver;
  /** Whether the engine passes the paths of its tasks, as LangGraph.js does from 1.5 on. */
  gotTaskPaths = false;

  constructor(mirror: BaseCheckpointSaver) {
    super();
    this.#mirror = mirror;
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions = {},
  ): Promise<RunnableConfig> {
    await this.#mirror.put(config, checkpoint, metadata, newVersions);
    return super.put(config, checkpoint, metadata);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    this.gotTaskPaths ||= taskPath !== undefined;
    await this.#mirror.putWrites(config, writes, taskId, taskPath);
    await super.putWrites(config, writes, taskId, taskPath);
  }

  override getNextVersion(current: number | undefined): number {
    return this.#mirror.getNextVersion(current);
  }
}
