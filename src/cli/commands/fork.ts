import type { RunnableConfig } from "@langchain/core/runnables";
import { Option } from "commander";
import { z } from "zod";
import { namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import { CHECKPOINT_HELP, resolveCheckpoint } from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { collectValue } from "../options/option-values.js";
import { printable } from "../output/printable.js";

const flagsOfFork = threadFlags.extend({
  checkpoint: z.string().optional(),
  set: z.record(z.string(), z.unknown()).optional(),
});

/** `fork`. */
export const fork: CommandDefinition = {
  name: "fork",
  group: "Change",
  summary: "begin a branch: a new checkpoint that follows another one and becomes the newest",
  args: () => [threadArgument()],
  options: () => [
    new Option("--checkpoint <id>", `what it follows: ${CHECKPOINT_HELP} (default: head)`),
    namespaceOption(),
    new Option(
      "--set <channel=json>",
      `the value of a channel in it, as it is to be; where the channel holds messages, as [{"role": "user", "content": "hi"}]; may be given several times`,
    ).argParser(collectValue),
  ],
  examples: ["fork 42", `fork 42 --checkpoint head~2 --set 'plan="B"' --set 'tries=0'`],
  run: async (context, flags) => {
    const { saver, signal } = context;
    const { followingSaver } = await import("../serializers/open-matching-saver.js");
    const { knownValues } = await import("../checkpoints/read-earlier-values.js");
    const { channelInput } = await import("../checkpoints/parse-channel-value.js");
    const { thread, namespace, checkpoint, set = {} } = flagsOfFork.parse(flags);
    const parent = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const head = await resolveCheckpoint(context, { thread, namespace });
    const known = new Set([...parent.channels, ...head.channels]);
    const newChannels = Object.keys(set).filter((name) => !known.has(name));
    const forker = await followingSaver(context, { thread, namespace, ids: [parent.id, head.id] });
    const found = parent.id === head.id ? [parent] : [parent, head];
    const held = await knownValues(saver, found, Object.keys(set), signal);
    const values = Object.fromEntries(
      Object.entries(set).map(([name, json]) => [name, channelInput(name, json, held.get(name) ?? [])]),
    );
    const id = checkpointIdOf(await forker.fork(parent.config, { values, signal }));
    const text = `checkpoint ${printable(id)} follows ${printable(parent.id)}, and is the newest of thread ${printable(thread)}`;
    return {
      exitCode: EXIT_CODE.ok,
      text: text + describeNew(newChannels),
      json: { thread, namespace, parent: parent.id, checkpoint: id, newChannels },
    };
  },
};

/** A channel that nobody has written to may be a misspelt one, which no graph would look at. */
function describeNew(channels: readonly string[]): string {
  if (channels.length === 0) return "";
  return `\nnote: nothing has been written to ${channels
    .map((name) => JSON.stringify(name))
    .map(printable)
    .join(", ")} before`;
}

/** The id of the checkpoint that a config names. */
export function checkpointIdOf({ configurable }: RunnableConfig): string {
  const id: unknown = configurable?.checkpoint_id;
  return typeof id === "string" ? id : "";
}
