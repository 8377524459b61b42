import { setImmediate } from "node:timers/promises";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Recording } from "./recording.js";

/** Lets the nodes of a super-step begin once the state before them has been saved. LangGraph waits for callbacks, but not for its readers. */
export class StartGate extends BaseCallbackHandler {
  readonly name = "record_checkpoints";
  override awaitHandlers = true;
  readonly #recording: Recording;
  #run: string | undefined;
  #namespace: string | undefined;
  #step: unknown;
  #begun: Promise<void> | undefined;

  constructor(recording: Recording) {
    super();
    this.#recording = recording;
  }

  /** The namespace of the graph's own chunks, or `undefined` before its first node. It is not empty in a run inside of another graph. */
  get namespace(): string | undefined {
    return this.#namespace;
  }

  // The first chain is the graph's own run, and the nodes are its children.
  override async handleChainStart(
    _chain: unknown,
    _inputs: unknown,
    runId: string,
    parentRunId?: string,
    _tags?: string[],
    metadata?: Record<string, unknown>,
  ): Promise<void> {
    this.#run ??= runId;
    if (parentRunId !== this.#run) return;
    this.#namespace ??= String(metadata?.langgraph_checkpoint_ns).split("|").slice(0, -1).join("|");
    const step = metadata?.langgraph_step;
    if (step !== this.#step) {
      this.#step = step;
      this.#begun = this.#beginStep();
    }
    // The nodes of a super-step wait for the same promise, so that they begin together, in the order of LangGraph. After a failed save none
    // begins, because the run's signal is aborted.
    await this.#begun;
  }

  async #beginStep(): Promise<void> {
    // LangGraph has streamed the state before it starts a node. Within this turn the reader gets it.
    await setImmediate();
    await this.#recording.beginStep();
  }
}
