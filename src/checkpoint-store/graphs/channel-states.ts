import { isDeepStrictEqual } from "node:util";
import { InvalidConfigError } from "../../errors/index.js";
import type { LangGraphClasses } from "../../serde/langchain/langgraph-classes.js";
import type { GraphChannel, RecordableGraph } from "./recorded-graph.js";

type Entry = [key: string, value: unknown];

/** Merges an update into a state by the reducers of the graph, as it merges the result of a node. */
export function mergeUpdate(
  graph: RecordableGraph,
  classes: LangGraphClasses,
  state: unknown,
  update: unknown,
): unknown {
  const merged = new Map(entriesOf(state, "state"));
  for (const [key, value] of entriesOf(update, "update")) {
    const channel = channelOf(graph, key)?.fromCheckpoint();
    if (channel === undefined) {
      throw new InvalidConfigError(`update.${key}`, "is no key of the graph's state");
    }
    if (merged.has(key)) channel.update([startingWith(graph, classes, [key, merged.get(key)])[1]]);
    channel.update([value]);
    merged.set(key, channel.get());
  }
  return Object.fromEntries(merged);
}

/** Returns the writes that give the channels of a new run this state. */
export function channelWrites(graph: RecordableGraph, classes: LangGraphClasses, state: unknown): Entry[] {
  return entriesOf(state, "state").map((entry) => startingWith(graph, classes, entry));
}

/**
 * Checks that a run has begun with this state.
 *
 * @throws InvalidConfigError if the graph has changed it: a schema of its input may drop keys and convert values.
 */
export function checkStart(state: unknown, begun: unknown): void {
  const actual = new Map(entriesOf(begun, "state"));
  for (const [key, value] of entriesOf(state, "state")) {
    if (isDeepStrictEqual(actual.get(key), value)) continue;
    throw new InvalidConfigError(
      "graph",
      `can't continue with the state of a checkpoint, because its schema of inputs changes "${key}"`,
    );
  }
}

// A reducer merges the first write with the default of its channel. An Overwrite replaces that, but schemas refuse it, so it is used only
// where the result differs.
function startingWith(graph: RecordableGraph, classes: LangGraphClasses, [key, value]: Entry): Entry {
  const channel = channelOf(graph, key)?.fromCheckpoint();
  if (channel === undefined) return [key, value];
  channel.update([value]);
  return [key, isDeepStrictEqual(channel.get(), value) ? value : new classes.Overwrite(value)];
}

function entriesOf(value: unknown, name: string): Entry[] {
  if (typeof value === "object" && value !== null) return Object.entries(value);
  throw new InvalidConfigError(name, "must be an object with keys of the graph's state");
}

function channelOf(graph: RecordableGraph, key: string): GraphChannel | undefined {
  return Object.hasOwn(graph.channels, key) ? (graph.channels[key] as GraphChannel) : undefined;
}
