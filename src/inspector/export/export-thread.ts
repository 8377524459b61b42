import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { unstoredDeltas } from "../../audit/delta-channels.js";
import { CheckpointNotFoundError, InvalidConfigError } from "../../errors/index.js";
import type { CheckpointPlace, NamespacePlace } from "../api/places.js";
import type { CallRun } from "../calls/call-definition.js";
import { readMessages } from "../checkpoints/read-conversation.js";
import { viewCheckpoint } from "../checkpoints/view-checkpoint.js";
import { configOfPlace, checkpointNotFound } from "../stored-values/read-stored-value.js";
import { jsonText } from "../values/readable-json.js";
import { conversationMarkdown, codeSpan } from "./conversation-markdown.js";

/** How many characters of a history are sent at once. */
const MIN_PART = 65_536;

/** Reads the newest state of a namespace, and yields it as JSON: its ids, its metadata, all values, and pending writes. */
export async function* exportState(
  run: CallRun,
  namespacePlace: NamespacePlace,
): AsyncGenerator<Iterable<string>, undefined> {
  const { place, channels } = await findNewest(run, namespacePlace);
  // Reading channels by their names needs no migration.
  const tuple = await run.context.saver.getTuple(configOfPlace(place), { channels, signal: run.signal });
  if (tuple === undefined) throw checkpointNotFound(place);
  const { rebuilt, unstored } = await readDeltas(run, place, tuple);
  yield jsonText({
    ...place,
    parentId: idIn(tuple.parentConfig),
    createdAt: tuple.checkpoint.ts,
    metadata: tuple.metadata,
    values: Object.fromEntries([...Object.entries(tuple.checkpoint.channel_values), ...rebuilt]),
    // Only their graphs can rebuild these.
    unstored,
    pendingWrites: (tuple.pendingWrites ?? []).map(([taskId, channel, value]) => ({
      taskId,
      channel,
      value,
    })),
  });
}

/** Reads the newest conversations of a namespace, and yields them as Markdown. */
export async function* exportConversation(
  run: CallRun,
  namespacePlace: NamespacePlace,
): AsyncGenerator<Iterable<string>, undefined> {
  const { place } = await findNewest(run, namespacePlace);
  const { conversations, createdAt } = await viewCheckpoint(run, place);
  const { threadId, namespace, checkpointId } = place;
  const facts = [
    ["Thread", codeSpan(threadId)],
    ["Namespace", namespace === "" ? "the root graph" : codeSpan(namespace)],
    ["Checkpoint", codeSpan(checkpointId)],
    ["Stored", new Date(createdAt).toISOString()],
  ];
  yield ["# Conversation\n\n", ...facts.map(([name, text]) => `- ${name}: ${text}\n`)];
  if (conversations.length === 0) yield ["\nNo channel holds messages.\n"];
  for (const channel of conversations) {
    const { messages } = await readMessages(run, { ...place, channel });
    if (conversations.length > 1) yield [`\n# Channel ${codeSpan(channel)}\n`];
    yield conversationMarkdown(messages);
  }
}

/** Yields the whole thread, with all its namespaces, as `importThreads` takes it. */
export async function* exportHistory(
  { context, signal }: CallRun,
  { threadId }: NamespacePlace,
): AsyncGenerator<Iterable<string>, undefined> {
  let lines: string[] = [];
  let size = 0;
  for await (const line of context.saver.exportThreads({ threads: [threadId], signal })) {
    lines.push(line, "\n");
    size += line.length;
    if (size < MIN_PART) continue;
    yield lines;
    [lines, size] = [[], 0];
  }
  yield lines;
}

/** Finds the newest checkpoint of a namespace, and the names of its channels. */
async function findNewest(
  { context, signal }: CallRun,
  { threadId, namespace }: NamespacePlace,
): Promise<{ readonly place: CheckpointPlace; readonly channels: readonly string[] }> {
  const config = { configurable: { thread_id: threadId, checkpoint_ns: namespace } };
  const tuple = await context.saver.getTuple(config, { values: false, writes: false, signal });
  if (tuple === undefined) throw new CheckpointNotFoundError({ threadId, checkpointNs: namespace });
  const { id: checkpointId, channel_values, channel_versions } = tuple.checkpoint;
  const names = new Set([...Object.keys(channel_versions), ...Object.keys(channel_values)]);
  return { place: { threadId, namespace, checkpointId }, channels: [...names] };
}

function idIn(config: CheckpointTuple["parentConfig"]): unknown {
  const id: unknown = config?.configurable?.checkpoint_id;
  return id ?? null;
}

/** What is known of channels whose values are not stored. */
interface ReadDeltas {
  readonly rebuilt: readonly (readonly [channel: string, messages: readonly unknown[]])[];
  readonly unstored: readonly string[];
}

/** Rebuilds the messages of delta channels. */
async function readDeltas(run: CallRun, place: CheckpointPlace, tuple: CheckpointTuple): Promise<ReadDeltas> {
  const { threadId, namespace: checkpointNs } = place;
  const rebuilt: [string, readonly unknown[]][] = [];
  const unstored: string[] = [];
  for (const channel of await unstoredDeltas(run.call, { threadId, checkpointNs }, tuple)) {
    try {
      rebuilt.push([channel, (await readMessages(run, { ...place, channel })).messages]);
    } catch (error) {
      if (!(error instanceof InvalidConfigError)) throw error;
      unstored.push(channel);
    }
  }
  return { rebuilt, unstored };
}
