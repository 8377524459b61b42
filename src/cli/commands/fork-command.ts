import { Option } from "commander";
import { z } from "zod";
import { jsonObject } from "../../parsing/json-object.js";
import {
  checkpointIdOf,
  idsOf,
  resolveCheckpoint,
  resolveReadable,
} from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { collectChannelValue } from "../options/option-values.js";
import { CHECKPOINT_HELP, namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import { printable } from "../output/printable.js";

const forkFlags = threadFlags.extend({
  checkpoint: z.string().optional(),
  set: jsonObject.optional(),
});

export const fork: CommandDefinition = {
  name: "fork",
  group: "Change",
  summary: "start a branch: create a checkpoint that follows another one and becomes the newest",
  args: () => [threadArgument()],
  options: () => [
    new Option("--checkpoint <id>", `the parent of the new checkpoint: ${CHECKPOINT_HELP} (default: head)`),
    namespaceOption(),
    new Option(
      "--set <channel=json>",
      `the value of a channel in the new checkpoint; for a channel of messages, such as [{"role": "user", "content": "hi"}]; may be repeated`,
    ).argParser(collectChannelValue),
  ],
  examples: ["fork 42", `fork 42 --checkpoint head~2 --set 'plan="B"' --set 'tries=0'`],
  run: async (context, flags) => {
    const { saver, signal } = context;
    const { openMatchingSaver } = await import("../serializers/open-matching-saver.js");
    const { readEarlierValues } = await import("../../threads/read-earlier-values.js");
    const { parseChannelValue } = await import("../../threads/parse-channel-value.js");
    const { thread, namespace, checkpoint, set = {} } = forkFlags.parse(flags);
    const parent = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const head = await resolveReadable(context, { thread, namespace });
    const knownChannels = new Set([...parent.channels, ...(head?.channels ?? [])]);
    const newChannels = Object.keys(set).filter((name) => !knownChannels.has(name));
    const key = { threadId: thread, checkpointNs: namespace };
    const forker = await openMatchingSaver(context, key, idsOf(parent, head));
    const checkpoints = head === undefined || parent.id === head.id ? [parent] : [parent, head];
    const earlier = await readEarlierValues(saver, checkpoints, Object.keys(set), signal);
    const values = Object.fromEntries(
      Object.entries(set).map(([name, json]) => [
        name,
        parseChannelValue({ channel: name, json, field: "--set" }, earlier.get(name) ?? []),
      ]),
    );
    const id = checkpointIdOf(await forker.fork(parent.config, { values, signal })) ?? "";
    const text = `created checkpoint ${printable(id)} from ${printable(parent.id)}; it is now the newest of thread ${printable(thread)}`;
    return {
      exitCode: EXIT_CODE.ok,
      text: text + describeNewChannels(newChannels),
      json: { thread, namespace, parent: parent.id, checkpoint: id, newChannels },
    };
  },
};

/** A channel without earlier values may be misspelt, and the graph would ignore it. */
function describeNewChannels(channels: readonly string[]): string {
  if (channels.length === 0) return "";
  const names = channels.map((name) => printable(JSON.stringify(name))).join(", ");
  return `\nnote: ${channels.length === 1 ? "channel" : "channels"} new in this thread: ${names}`;
}
