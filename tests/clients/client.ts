import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, BaseStore, StateSnapshot } from "@langchain/langgraph";
import type { ThreadSaver } from "@langchain/langgraph-api/experimental/embed";
import type { WithHistory } from "../graphs/support/history.js";

/** What a client stores in. */
export interface Storage {
  readonly saver: BaseCheckpointSaver;
  readonly store: BaseStore;
  readonly conversations: ThreadSaver;
}

/** The storage, and the part of it that belongs to one run of a client. */
export interface Place extends Storage {
  /** A UUID, as LangGraph's servers want it. The items of the store are in the namespaces that begin with it. */
  readonly thread: string;
}

/** The part of a graph that reads its states. */
export interface ReadGraph extends WithHistory {
  getState(config: RunnableConfig, options?: { subgraphs?: boolean }): Promise<StateSnapshot>;
}

/** A library that people build agents with, as it is used. */
export interface Client {
  /** The graph of its thread. It is only read. */
  readonly graphOf: (place: Place) => ReadGraph;
  /** What happens, one after another, each in a process of its own. Each returns what its user gets. */
  readonly phases: Readonly<Record<string, (place: Place) => Promise<unknown>>>;
}

/** The config of a place's thread. */
export function configOf({ thread }: Place): { configurable: { thread_id: string } } {
  return { configurable: { thread_id: thread } };
}

/** The input that says something. */
export function human(content: string): { messages: HumanMessage[] } {
  return { messages: [new HumanMessage(content)] };
}
