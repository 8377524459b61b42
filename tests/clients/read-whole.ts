import type { BaseCheckpointSaver } from "@langchain/langgraph";
import { historyOf } from "../graphs/support/history.js";
import { configOf, type Place, type ReadGraph } from "./client.js";

/** More than a client stores. */
const LIMIT = 1000;

/** Reads all that a client has stored, by the public methods that it would read it with. */
export async function readWhole(place: Place, graph: ReadGraph): Promise<unknown> {
  const config = configOf(place);
  const items = await place.store.search([place.thread], { limit: LIMIT });
  return {
    state: await graph.getState(config, { subgraphs: true }),
    history: await historyOf(graph, config),
    checkpoints: await readCheckpoints(place.saver, config),
    items: items
      .map(({ namespace, key, value, createdAt, updatedAt }) => ({
        ...{ namespace, key, value, createdAt, updatedAt },
      }))
      .sort((a, b) => compare(JSON.stringify([a.namespace, a.key]), JSON.stringify([b.namespace, b.key]))),
    // Most clients have none.
    record: await place.conversations.get(place.thread).then(metadataOf, () => null),
    namespaces: (await place.store.listNamespaces({ prefix: [place.thread] })).sort(),
  };
}

/** The record of a thread without its times, which the type of LangGraph's server does not have. */
export function metadataOf({ thread_id, metadata }: { thread_id: string; metadata: unknown }): unknown {
  return { thread_id, metadata };
}

/**
 * The checkpoints of the thread and of its subgraphs, by the names of the subgraphs, newest first: savers differ in the order of namespaces.
 * The versions of channels are left out, since each saver has its own, and empty values, since a saver that stores a value by its version
 * stores none that no step has written.
 */
async function readCheckpoints(
  saver: BaseCheckpointSaver,
  config: ReturnType<typeof configOf>,
): Promise<unknown[]> {
  const found = [];
  for await (const { config: at, checkpoint, metadata, parentConfig, pendingWrites } of saver.list(config)) {
    const { id, ts, channel_values } = checkpoint;
    const values = Object.entries(channel_values).filter(([, value]) => !isEmpty(value));
    const subgraph = String(at.configurable?.checkpoint_ns).replaceAll(/:[^|]*/g, "");
    found.push({
      ...{ subgraph, id, at, ts, metadata, parentConfig, pendingWrites },
      values: Object.fromEntries(values),
    });
  }
  return found.sort((a, b) => compare(a.subgraph, b.subgraph) || compare(b.id, a.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && JSON.stringify(value).length === 2;
}
