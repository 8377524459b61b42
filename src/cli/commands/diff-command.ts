import { success } from "./reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import type { ChannelDiff } from "../../audit/audit-types.js";
import {
  resolveCheckpoint,
  describeUnstored,
  getUnstoredValues,
  type UnstoredValue,
} from "./resolve-checkpoint.js";
import { CHECKPOINT_HELP, namespaceOption, threadArgument, threadFlags } from "../options/shared-options.js";
import { compareValues, type ValueChange } from "../../audit/compare-values.js";
import type { CommandDefinition } from "../command-definition.js";
import { formatPart, indent } from "../output/format-value.js";
import { countOf, humanCount } from "../output/format-numbers.js";
import { printable } from "../output/printable.js";
import type { Style } from "../output/style.js";

const diffFlags = threadFlags.extend({
  before: z.string(),
  after: z.string(),
  otherThread: z.string().optional(),
});

/** The maximum number of changes that are printed for one channel. */
const MAX_CHANGES = 50;

export const diffCommand: CommandDefinition = {
  name: "diff",
  group: "Inspect",
  summary: "show what changed between two checkpoints, channel by channel",
  args: () => [
    threadArgument(),
    new Argument("<before>", `the first checkpoint: ${CHECKPOINT_HELP}`),
    new Argument("<after>", "the second checkpoint"),
  ],
  options: () => [
    namespaceOption(),
    new Option("--other-thread <thread>", "the thread of the second checkpoint (default: the same)"),
  ],
  examples: ["diff 42 head~1 head", "diff 42 head head --other-thread 42-copy --json"],
  run: async (context, flags) => {
    const { saver, style, signal } = context;
    const { thread, namespace, before, after, otherThread = thread } = diffFlags.parse(flags);
    const first = await resolveCheckpoint(context, { thread, namespace, checkpoint: before });
    const second = await resolveCheckpoint(context, { thread: otherThread, namespace, checkpoint: after });
    const { channels } = await saver.diff(first.config, second.config, { signal });
    const unstoredIn = (side: "before" | "after") =>
      channels
        .filter((channel) => channel.change === "unstored" && !Object.hasOwn(channel, side))
        .map(({ channel }) => channel);
    const unstored = {
      before: await getUnstoredValues(context, first.config, unstoredIn("before")),
      after: await getUnstoredValues(context, second.config, unstoredIn("after")),
    };
    return success(formatDiff(channels, unstored, style), {
      before: first.id,
      after: second.id,
      channels,
      unstored,
    });
  },
};

/** The unstored values of delta channels in each of the two checkpoints. */
interface UnstoredSides {
  readonly before: readonly UnstoredValue[];
  readonly after: readonly UnstoredValue[];
}

function formatDiff(channels: readonly ChannelDiff[], unstored: UnstoredSides, style: Style): string {
  const changed = channels.filter(({ change }) => change !== "same" && change !== "unstored");
  const deltas = channels.filter(({ change }) => change === "unstored");
  const same = channels.filter(({ change }) => change === "same").length;
  const rest = same === 0 ? [] : [style.dim(`${countOf(same, "channel")} unchanged`)];
  if (channels.length === 0) return "neither checkpoint has any values";
  return [
    ...changed.map((channel) => formatChannel(channel, style)),
    ...deltas.map((channel) => formatDelta(channel, unstored, style)),
    ...rest,
  ].join("\n\n");
}

function formatDelta(delta: ChannelDiff, unstored: UnstoredSides, style: Style): string {
  const describe = (side: "before" | "after") => {
    const found = unstored[side].find(({ channel }) => channel === delta.channel);
    return found === undefined ? formatPart(delta[side]) : describeUnstored(found);
  };
  return [
    style.warning(`? ${printable(delta.channel)}`),
    "  not stored with both checkpoints: a delta channel, which its graph rebuilds from",
    style.bad(indent(describe("before"), "  - ")),
    style.good(indent(describe("after"), "  + ")),
  ].join("\n");
}

function formatChannel({ channel, change, before, after }: ChannelDiff, style: Style): string {
  const name = printable(channel);
  if (change === "added") return `${style.good(`+ ${name}`)}\n${formatSide("+", "", after, style)}`;
  if (change === "removed") return `${style.bad(`- ${name}`)}\n${formatSide("-", "", before, style)}`;
  const changes = compareValues(before, after);
  const shown = changes.slice(0, MAX_CHANGES).map((one) => formatChange(one, style));
  const hidden = changes.length - shown.length;
  const more =
    hidden === 0 ? [] : [style.dim(`  and ${countOf(hidden, "more change")}; --json prints both values`)];
  return [`${style.warning(`~ ${name}`)}${lengthsOf(before, after)}`, ...shown, ...more].join("\n");
}

function formatChange({ path, before, after }: ValueChange, style: Style): string {
  return [
    ...(before === undefined ? [] : [formatSide("-", path, before.value, style)]),
    ...(after === undefined ? [] : [formatSide("+", path, after.value, style)]),
  ].join("\n");
}

function formatSide(sign: "-" | "+", path: string, value: unknown, style: Style): string {
  const text = `${path === "" ? "" : `${printable(path)}  `}${formatPart(value)}`;
  const lines = indent(text, `  ${sign} `);
  return sign === "-" ? style.bad(lines) : style.good(lines);
}

/** The numbers of items before and after, if they differ. */
function lengthsOf(before: unknown, after: unknown): string {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === after.length) return "";
  return `  ${humanCount(before.length)} -> ${countOf(after.length, "item")}`;
}
