import {
  flag,
  CHECKPOINT_HELP,
  checkpointFlags,
  checkpointOption,
  namespaceOption,
  threadArgument,
  threadFlags,
} from "../options/shared-options.js";
import { success } from "./reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import {
  checkpointNotFound,
  checkpointIdOf,
  foundIds,
  resolveCheckpoint,
  resolveReadable,
} from "./resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { describeCounts, hasRows } from "../output/describe-rows.js";
import { printable } from "../output/printable.js";
import { jsonObject } from "../../parsing/parse.js";
import { collectChannelValue } from "../options/option-values.js";

const copyFlags = z.object({
  source: z.string(),
  target: z.string(),
  reencode: flag,
});

export const copyCommand: CommandDefinition = {
  name: "copy",
  group: "Change",
  summary: "copy a thread with its checkpoints, values and writes; checkpoint ids stay the same",
  args: () => [
    new Argument("<source>", "the thread to copy"),
    new Argument("<target>", "the id of the copy; no thread may have it yet"),
  ],
  options: () => [
    new Option(
      "--reencode",
      "re-encode values and versions, so that Python's saver can continue a thread of the official JavaScript saver",
    ),
  ],
  examples: ["copy 42 42-what-if", "copy 42 42-what-if --json", "copy 42 42-for-python --reencode"],
  run: async ({ saver, openSaver, signal }, flags) => {
    const { source, target, reencode } = copyFlags.parse(flags);
    const copier = openSaver({ keepTombstones: true });
    const counts = await copier.copyThread(source, target, { reencode, signal });
    if (!hasRows(counts)) {
      const { total } = await saver.storage({ threadId: source, limit: 1, signal });
      if (total.checkpoints + total.blobs + total.writes === 0) throw checkpointNotFound(source, "");
    }
    return success(`copied ${describeCounts(counts)} to thread ${printable(target)}`, {
      source,
      target,
      ...counts,
    });
  },
};

const forkFlags = checkpointFlags.extend({ set: jsonObject.optional() });

export const forkCommand: CommandDefinition = {
  name: "fork",
  group: "Change",
  summary: "start a branch: create a checkpoint that follows another one and becomes the newest",
  args: () => [threadArgument()],
  options: () => [
    checkpointOption("the parent of the new checkpoint"),
    namespaceOption(),
    new Option(
      "--set <channel=json>",
      `the value of a channel in the new checkpoint; for a channel of messages, such as [{"role": "user", "content": "hi"}]; may be repeated`,
    ).argParser(collectChannelValue),
  ],
  examples: ["fork 42", `fork 42 --checkpoint head~2 --set 'plan="B"' --set 'tries=0'`],
  run: async (context, flags) => {
    const { saver, signal } = context;
    const { openMatchingSaver } = await import("../run/matching-serializer.js");
    const { readEarlierValues } = await import("../../threads/parse-channel-value.js");
    const { parseChannelValue } = await import("../../threads/parse-channel-value.js");
    const { thread, namespace, checkpoint, set = {} } = forkFlags.parse(flags);
    const parent = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const head = await resolveReadable(context, { thread, namespace });
    const knownChannels = new Set([...parent.channels, ...(head?.channels ?? [])]);
    const newChannels = Object.keys(set).filter((name) => !knownChannels.has(name));
    const key = { threadId: thread, checkpointNs: namespace };
    const forker = await openMatchingSaver(context, key, foundIds(parent, head));
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
    return success(text + describeNewChannels(newChannels), {
      thread,
      namespace,
      parent: parent.id,
      checkpoint: id,
      newChannels,
    });
  },
};

/** A channel without earlier values may be misspelt, and the graph would ignore it. */
function describeNewChannels(channels: readonly string[]): string {
  if (channels.length === 0) return "";
  const names = channels.map((name) => printable(JSON.stringify(name))).join(", ");
  return `\nnote: ${channels.length === 1 ? "channel" : "channels"} new in this thread: ${names}`;
}

const rollbackFlags = threadFlags.extend({ checkpoint: z.string() });

export const rollbackCommand: CommandDefinition = {
  name: "rollback",
  group: "Change",
  summary: "roll a thread back to one of its checkpoints; later checkpoints stay, on a branch",
  args: () => [threadArgument(), new Argument("<checkpoint>", `the checkpoint: ${CHECKPOINT_HELP}`)],
  options: () => [namespaceOption()],
  examples: ["rollback 42 head~1", "rollback 42 head~1 --json"],
  run: async (context, flags) => {
    const { signal } = context;
    const { thread, namespace, checkpoint } = rollbackFlags.parse(flags);
    const { openMatchingSaver } = await import("../run/matching-serializer.js");
    const target = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    // Damage to the newest checkpoint is what a rollback is for.
    const head = await resolveReadable(context, { thread, namespace });
    const key = { threadId: thread, checkpointNs: namespace };
    const saver = await openMatchingSaver(context, key, foundIds(target, head));
    const config = await saver.rollback(thread, target.id, { checkpointNs: namespace, signal });
    const id = checkpointIdOf(config) ?? "";
    return success(
      `rolled thread ${printable(thread)} back to ${printable(target.id)}: created checkpoint ${printable(id)}`,
      { thread, namespace, target: target.id, checkpoint: id },
    );
  },
};
