import { isArray } from "../../serde/objects/inspect-object.js";
import type { StoryTool } from "../api/story.js";
import type { LastMessage } from "../api/finds.js";
import type { CallRun } from "../calls/call-definition.js";
import { getStateSizes, NEWEST, parsedSizes } from "../queries/get-states.js";
import { readableValues } from "../stored-values/readable-values.js";
import { MAX_BYTES } from "../states/open-tasks.js";
import { textOfMessage, toolsIn } from "../story/written-messages.js";
import { cutText } from "../values/cut-text.js";
import { readMessage, type ReadMessage } from "../values/read-message.js";

/** The most characters of a message in a list. */
const MAX_TEXT = 300;
const MAX_TOOLS = 3;
/** The most messages of a turn that are looked at. */
const MAX_TURN = 200;
/** How many bytes of values are read for a list. */
const MAX_BYTES_IN_ALL = 16 * 1_024 * 1_024;

/** What was read of the ends of conversations. */
interface ReadEnds {
  /** By thread, where its root graph has messages. */
  readonly messages: ReadonlyMap<string, LastMessage>;
  /** How many bytes of values were read. */
  readonly bytes: number;
}

/**
 * Reads how the conversations of threads end, by the newest checkpoints of their root graphs. A conversation of more than 256 kB is not read:
 * only its size is told.
 */
export async function readLastMessages(run: CallRun, threadIds: readonly string[]): Promise<ReadEnds> {
  const places = threadIds.map((threadId) => ({ threadId, namespace: "", checkpointId: NEWEST }));
  const rows = await getStateSizes(run.call, places);
  let bytes = 0;
  const wanted = places.flatMap((place) => {
    const row = rows.get(place);
    const size = row && channelOf(parsedSizes(row));
    if (row === undefined || size === undefined) return [];
    const isRead = size[1] <= MAX_BYTES && bytes + size[1] <= MAX_BYTES_IN_ALL;
    if (isRead) bytes += size[1];
    return [{ place: { ...place, checkpointId: row.checkpoint_id }, size, isRead }];
  });
  const messages = await Promise.all(
    wanted.map(async ({ place, size: [channel, long], isRead }) => {
      if (!isRead) return [place.threadId, { role: "other", text: "", isCut: true, bytes: long }] as const;
      const value = (await readableValues(run, place, [channel]))?.[channel];
      const message = lastMessageIn(value);
      return message === undefined ? undefined : ([place.threadId, message] as const);
    }),
  );
  return { messages: new Map(messages.filter((each) => each !== undefined)), bytes };
}

/** The channel of a conversation, by its name, since no value is read for that. */
function channelOf(sizes: ReturnType<typeof parsedSizes>) {
  const named = sizes.filter(([channel]) => /messages$/i.test(channel));
  return named.find(([channel]) => channel === "messages") ?? named[0];
}

function lastMessageIn(value: unknown): LastMessage | undefined {
  if (!isArray(value)) return undefined;
  let last: ReadMessage | undefined;
  /** By their last results. */
  const tools = new Map<string, StoryTool["outcome"]>();
  // The last turn: back to what a person wrote.
  for (const item of value.slice(-MAX_TURN).reverse()) {
    const message = readMessage(item);
    if (message === undefined) continue;
    last ??= message;
    if (message.role === "human") break;
    const [tool] = message.role === "tool" ? toolsIn(message, 1) : [];
    if (tool !== undefined && !tools.has(tool.name)) tools.set(tool.name, tool.outcome);
  }
  if (last === undefined) return undefined;
  const named = [...new Set(toolsIn(last, MAX_TOOLS).map(({ name }) => name))];
  const failedTools = [...tools].flatMap(([name, outcome]) => (outcome === "failed" ? [name] : []));
  return {
    role: last.role,
    ...cutText(textOfMessage(last.fields).trim(), MAX_TEXT),
    ...(named.length > 0 && { tools: named }),
    ...(failedTools.length > 0 && { failedTools: failedTools.slice(0, MAX_TOOLS) }),
  };
}
