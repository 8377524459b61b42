import { randomUUID } from "node:crypto";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { metadataOf, nextId, threadConfig } from "../../test-support/checkpoints.js";
import type { Saver } from "../subjects.js";

/** What a super-step changes. */
export interface StepChanges {
  /** The values that change, in the channels with these names. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether a node was triggered: its channel is emptied, and that of the next node is set. */
  readonly triggers: boolean;
}

/**
 * A thread that stores what LangGraph stores. Its header lists the versions of all channels. About a third of these channels
 * trigger a node, and the header lists the version that the node has seen.
 */
export class SyntheticThread {
  readonly id = randomUUID();
  readonly #saver: Saver;
  readonly #triggers: readonly string[];
  #versions: Checkpoint["channel_versions"];
  #config: RunnableConfig = threadConfig(this.id);
  #steps = 0;

  /**
   * @param channels - The number of channels, those that trigger nodes included.
   */
  constructor(saver: Saver, channels: number) {
    this.#saver = saver;
    const triggers = Math.max(1, Math.round(channels / 3));
    this.#triggers = numbered(triggers, "branch:to:node_");
    const state = ["messages", ...numbered(channels - triggers - 1, "channel_")];
    // Each was written by another step, so they share no version, which would compress.
    this.#versions = Object.fromEntries(
      [...state, ...this.#triggers].map((channel) => [channel, saver.getNextVersion(undefined)]),
    );
  }

  /** The channel that triggers the node after the next checkpoint. */
  get nextTrigger(): string {
    return this.#trigger(this.#steps + 1);
  }

  /** Stores the next checkpoint. */
  async put({ values, triggers }: StepChanges): Promise<void> {
    const [emptied, set] = [this.#trigger(this.#steps), this.nextTrigger];
    const channelValues = { ...values, ...(triggers ? { [set]: null } : {}) };
    const changed = [...Object.keys(channelValues), ...(triggers ? [emptied] : [])];
    const newVersions = Object.fromEntries(
      changed.map((channel) => [channel, this.#saver.getNextVersion(this.#numbered(channel))]),
    );
    this.#versions = { ...this.#versions, ...newVersions };
    this.#config = await this.#saver.put(
      this.#config,
      this.#checkpoint(channelValues),
      metadataOf(this.#steps++),
      newVersions,
    );
  }

  /** Stores the pending writes of a task that continues the newest checkpoint. */
  async putWrites(writes: readonly (readonly [channel: string, value: unknown])[]): Promise<void> {
    const config = this.#steps === 0 ? threadConfig(this.id, { checkpoint_id: nextId() }) : this.#config;
    await this.#saver.putWrites(
      config,
      writes.map(([channel, value]) => [channel, value]),
      randomUUID(),
    );
  }

  /** Reads the newest checkpoint. */
  async getTuple(): Promise<void> {
    const tuple = await this.#saver.getTuple(threadConfig(this.id));
    if (tuple === undefined) throw new Error("no checkpoint");
  }

  #checkpoint(channel_values: Record<string, unknown>): Checkpoint {
    const versions_seen = Object.fromEntries(
      this.#triggers.map((trigger) => [
        trigger.replace("branch:to:", ""),
        { [trigger]: this.#versions[trigger] ?? 0 },
      ]),
    );
    const channel_versions = { ...this.#versions };
    return {
      v: 4,
      id: nextId(),
      ts: new Date().toISOString(),
      channel_values,
      channel_versions,
      versions_seen,
    };
  }

  #trigger(step: number): string {
    return this.#triggers[step % this.#triggers.length] ?? "branch:to:node_0";
  }

  /** LangGraph types versions as numbers. This saver's are texts. */
  #numbered(channel: string): number | undefined {
    return this.#versions[channel] as number | undefined;
  }
}

function numbered(count: number, prefix: string): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => `${prefix}${index}`);
}
