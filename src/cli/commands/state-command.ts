import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { Option } from "commander";
import { z } from "zod";
import { checkpointIdOf, notFound, resolveCheckpoint } from "../checkpoints/resolve-checkpoint.js";
import { CHECKPOINT_HELP, namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatBriefly, formatValue, indent } from "../output/format-value.js";
import { counted } from "../output/format-numbers.js";
import { repeatedOption } from "../options/option-values.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";
import { describeUnstored, getUnstoredValues, type UnstoredValue } from "../checkpoints/unstored-values.js";

const stateFlags = threadFlags.extend({
  checkpoint: z.string().optional(),
  channel: z.array(z.string()).optional(),
});

export const state: CommandDefinition = {
  name: "state",
  group: "Inspect",
  summary: "print the values of a checkpoint",
  args: () => [threadArgument()],
  options: () => [
    new Option("--checkpoint <id>", `the checkpoint: ${CHECKPOINT_HELP} (default: head)`),
    namespaceOption(),
    repeatedOption("--channel <name>", "only this channel"),
  ],
  examples: [
    "state 42",
    "state 42 --checkpoint head~1 --channel messages",
    "state 42 --channel plan --channel messages --json",
  ],
  run: async (context, flags) => {
    const { saver, style, signal } = context;
    const { thread, namespace, checkpoint, channel } = stateFlags.parse(flags);
    const { config, id } = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const tuple = await saver.getTuple(config, { channels: channel, signal });
    if (tuple === undefined) throw notFound(thread, namespace, id);
    const key = { threadId: thread, checkpointNs: namespace };
    const { unstoredDeltas } = await import("../../audit/unstored-deltas.js");
    const deltas = await unstoredDeltas(context.tables, key, tuple, channel);
    const unstored = await getUnstoredValues(context, config, deltas);
    const missing = channel?.filter((name) => !Object.hasOwn(tuple.checkpoint.channel_values, name)) ?? [];
    const exitCode = missing.length > 0 ? EXIT_CODE.no : EXIT_CODE.ok;
    return {
      exitCode,
      text: formatState(tuple, { unstored, missing }, style),
      json: { ...toJson(tuple, thread, namespace), unstored },
    };
  },
};

function toJson({ checkpoint, metadata, parentConfig }: CheckpointTuple, thread: string, namespace: string) {
  return {
    thread,
    namespace,
    checkpoint: checkpoint.id,
    parent: checkpointIdOf(parentConfig) ?? null,
    time: checkpoint.ts,
    metadata: metadata ?? null,
    versions: checkpoint.channel_versions,
    values: checkpoint.channel_values,
  };
}

interface Absent {
  /** Delta channels, whose values are not stored. */
  readonly unstored: readonly UnstoredValue[];
  /** The requested channels that have no stored value. */
  readonly missing: readonly string[];
}

function formatState(tuple: CheckpointTuple, { unstored, missing }: Absent, style: Style): string {
  const { checkpoint, metadata, parentConfig, pendingWrites = [] } = tuple;
  const facts = [
    ["checkpoint", printable(checkpoint.id)],
    ["parent", printable(checkpointIdOf(parentConfig) ?? "none")],
    ["time", printable(checkpoint.ts)],
    ["metadata", formatBriefly(metadata)],
    ["writes", pendingWrites.length === 0 ? "" : counted(pendingWrites.length, "pending write")],
  ];
  const head = facts
    .filter(([, value]) => value !== "")
    .map(([name = "", value = ""]) => `${style.dim(name.padEnd(10))}  ${value}`);
  const values = Object.entries(checkpoint.channel_values).map(
    ([name, value]) => `${style.good(printable(name))}\n${indent(formatValue(value, style))}`,
  );
  const deltas = unstored.map((delta) => {
    const reason = `not stored: a delta channel, which its graph rebuilds from ${describeUnstored(delta)}`;
    return `${style.warning(printable(delta.channel))}\n  ${reason}`;
  });
  const valueless = missing.filter((name) => unstored.every((delta) => delta.channel !== name));
  const absent = valueless.map((name) => `${style.warning(printable(name))}\n  no value at this checkpoint`);
  const body = [...values, ...deltas, ...absent];
  return [head.join("\n"), ...(body.length === 0 ? ["no values"] : body)].join("\n\n");
}
