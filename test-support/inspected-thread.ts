import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { putValues, threadConfig } from "./checkpoints.js";

/** The id of the thread, which no page may take for anything else. */
export const THREAD = "trip/<b>1</b>?";

/** A text of 5 million characters, whose end only a whole read finds. */
export const LONG_TEXT = `${"0123456789".repeat(500_000)}the end`;

/** The bytes of the channel `values`. */
export const BYTES = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);

const asked = [
  new SystemMessage({ id: "m0", content: "You plan trips." }),
  new HumanMessage({ id: "m1", content: "Weather in <i>Paris</i>?\n**Please** hurry." }),
];

const answered = [
  ...asked,
  new AIMessage({
    ...{
      id: "m2",
      content: [
        { type: "text", text: "I look it up." },
        { type: "image_url", image_url: "cat.png" },
      ],
    },
    tool_calls: [
      { id: "c1", name: "weather", args: { city: "Paris", days: [1, 2] } },
      { id: "c2", name: "book", args: { hotel: "Ritz" } },
    ],
  }),
  new ToolMessage({ id: "m3", tool_call_id: "c1", name: "weather", content: "Sunny, 21 °C" }),
  new ToolMessage({
    id: "m4",
    tool_call_id: "c2",
    name: "book",
    status: "error",
    content: "No room is left",
  }),
];

/** The places of the stored checkpoints. */
export interface InspectedThread {
  readonly parent: string;
  readonly checkpoint: string;
}

/** Stores a thread of two checkpoints that hold what the page of a checkpoint has to show: every kind of value, and pending writes. */
export async function putInspectedThread(saver: BaseCheckpointSaver): Promise<InspectedThread> {
  const first = await putValues(saver, threadConfig(THREAD, { checkpoint_ns: "" }), {
    ...{
      messages: asked,
      plan: "Fly to Paris on Monday",
      draft: "A draft",
      budget: { total: 100, spent: 0 },
    },
    ...{ kept: "as it was", story: `${"Once upon a time. ".repeat(1_000)}The old end.` },
  });
  const second = await putValues(
    saver,
    first.config,
    {
      ...{ messages: answered, plan: "Fly to Rome on Monday", budget: { total: 100, spent: 40 } },
      long: LONG_TEXT,
      story: `${"Once upon a time. ".repeat(1_000)}The new end.`,
      many: Array.from({ length: 1_000 }, (_, index) => ({ name: `entry ${index}` })),
      values: {
        date: new Date("2026-01-02T03:04:05.678Z"),
        map: new Map<unknown, unknown>([["key", 1]]),
        set: new Set(["one"]),
        large: 12_345_678_901_234_567_890n,
        bytes: BYTES,
        nested: { deep: { deeper: ["needle in a haystack"] } },
        nothing: null,
      },
    },
    { ...first.checkpoint, channel_versions: first.checkpoint.channel_versions },
  );
  await putTasks(saver, second.config);
  return { parent: first.checkpoint.id, checkpoint: second.checkpoint.id };
}

async function putTasks(saver: BaseCheckpointSaver, config: RunnableConfig): Promise<void> {
  await saver.putWrites(config, [["plan", { city: "Rome" }]], "task-done");
  await saver.putWrites(config, [["__interrupt__", [{ id: "i1", value: "May I book?" }]]], "task-waiting");
  await saver.putWrites(
    config,
    [["__error__", { name: "Error", message: "The service is down" }]],
    "task-failed",
  );
}
