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
      .sort((a, b) => (JSON.stringify([a.namespace, a.key]) < JSON.stringify([b.namespace, b.key]) ? -1 : 1)),
    namespaces: (await place.store.listNamespaces({ prefix: [place.thread] })).sort(),
  };
}

/**
 * The checkpoints of the thread and of its subgraphs, newest first. The versions of channels are left out, since each saver has its own,
 * and empty lists, since a saver that stores a value by its version stores none that no step has written.
 */
async function readCheckpoints(
  saver: BaseCheckpointSaver,
  config: ReturnType<typeof configOf>,
): Promise<unknown[]> {
  const found = [];
  for await (const { config: at, checkpoint, metadata, parentConfig, pendingWrites } of saver.list(config)) {
    const { id, ts, channel_values } = checkpoint;
    const values = Object.entries(channel_values).filter(([, value]) => !isEmptyList(value));
    found.push({
      ...{ at, id, ts, metadata, parentConfig, pendingWrites },
      values: Object.fromEntries(values),
    });
  }
  return found;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
