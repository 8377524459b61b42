import { answer, nextPageHint, success } from "./reports.js";
import { Option } from "commander";
import { z } from "zod";
import type { NamespaceCount } from "../../threads/queries/get-history-page.js";
import {
  checkpointNotFound,
  checkpointIdOf,
  resolveCheckpoint,
  describeUnstored,
  idOf,
  getUnstoredValues,
  type UnstoredValue,
} from "./resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { repeatedOption } from "../options/option-values.js";
import {
  CHECKPOINT_HELP,
  checkpointFlags,
  checkpointOption,
  limitFlag,
  limitOption,
  namespaceOption,
  threadArgument,
  threadFlags,
} from "../options/shared-options.js";
import { drawHistory } from "../output/draw-history.js";
import { countOf, humanCount, humanBytes } from "../output/format-numbers.js";
import type { TaskWrite } from "../../audit/audit-types.js";
import { type TableColumn, formatRows, formatFacts } from "../output/format-table.js";
import { printable } from "../output/printable.js";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { formatBriefly, formatValue, indent } from "../output/format-value.js";
import type { Style } from "../output/style.js";

const DEFAULT_LIMIT = 100;
const showFlags = threadFlags.extend({ limit: limitFlag(DEFAULT_LIMIT), before: z.string().optional() });

export const showCommand: CommandDefinition = {
  name: "show",
  group: "Inspect",
  summary: "draw the checkpoints of a thread as a tree, with its branches",
  args: () => [threadArgument()],
  options: () => [
    namespaceOption(),
    limitOption("checkpoints, newest first", DEFAULT_LIMIT),
    new Option("--before <id>", `only checkpoints older than this: ${CHECKPOINT_HELP}`),
  ],
  examples: [
    "show 42",
    "show 42 --limit 1000",
    "show 42 --before head~1",
    "show 42 --namespace 'research:1' --json",
  ],
  run: async (context, flags) => {
    const { style, tables, terminal } = context;
    const { thread, namespace, limit, before } = showFlags.parse(flags);
    const { history: readHistory } = await import("../../threads/history.js");
    const { parseHistory } = await import("../../threads/boundary/parse-thread-queries.js");
    const { countCheckpoints } = await import("../../threads/queries/get-history-page.js");
    const key = { threadId: thread, checkpointNs: namespace };
    const page = { checkpointNs: namespace, limit, before: before && (await idOf(tables, key, before)) };
    const { next, ...history } = await readHistory(tables, parseHistory(thread, page));
    const counts = await countCheckpoints(tables, thread, next ?? "");
    if (history.head === undefined && counts.length === 0) throw checkpointNotFound(thread, namespace);
    const omitted = counts.find((one) => one.namespace === namespace)?.older ?? 0;
    const namespaces = counts.map(({ namespace, checkpoints }): NamespaceCount => ({
      namespace,
      checkpoints,
    }));
    const others = namespaces.filter((one) => one.namespace !== namespace);
    const place = namespace === "" ? "" : `, namespace ${printable(namespace)}`;
    const tree = drawHistory(history, style, terminal.columns);
    const none = history.head === undefined ? "in this namespace" : `older than ${printable(before ?? "")}`;
    const text = [
      `thread ${printable(thread)}${place}`,
      tree.length === 0 ? `no checkpoints ${none}` : tree.join("\n"),
      ...(next === undefined
        ? []
        : [style.dim(`omitted ${countOf(omitted, "older checkpoint")}; --limit sets how many are shown`)]),
      ...(others.length === 0 ? [] : [formatRows(others, NAMESPACE_COLUMNS, terminal.columns)]),
    ].join("\n\n");
    const more =
      next === undefined
        ? ""
        : nextPageHint(style, ["show", thread], {
            "--namespace": namespace === "" ? undefined : namespace,
            "--limit": limit === DEFAULT_LIMIT ? undefined : limit,
            "--before": next,
          });
    return answer(history.head !== undefined, text + more, {
      ...history,
      omitted,
      next: next ?? null,
      namespaces,
    });
  },
};

const NAMESPACE_COLUMNS: readonly TableColumn<NamespaceCount>[] = [
  ["OTHER NAMESPACES", ({ namespace }) => (namespace === "" ? "(root)" : printable(namespace))],
  ["CHECKPOINTS", ({ checkpoints }) => humanCount(checkpoints), "number"],
];

const stateFlags = checkpointFlags.extend({ channel: z.array(z.string()).optional() });

export const stateCommand: CommandDefinition = {
  name: "state",
  group: "Inspect",
  summary: "print the values of a checkpoint",
  args: () => [threadArgument()],
  options: () => [
    checkpointOption(),
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
    if (tuple === undefined) throw checkpointNotFound(thread, namespace, id);
    const key = { threadId: thread, checkpointNs: namespace };
    const { unstoredDeltas } = await import("../../audit/delta-channels.js");
    const deltas = await unstoredDeltas(context.tables, key, tuple, channel);
    const unstored = await getUnstoredValues(context, config, deltas);
    const missing = channel?.filter((name) => !Object.hasOwn(tuple.checkpoint.channel_values, name)) ?? [];
    return answer(missing.length === 0, formatState(tuple, { unstored, missing }, style), {
      ...toJson(tuple, thread, namespace),
      unstored,
    });
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
  const facts = {
    checkpoint: printable(checkpoint.id),
    parent: printable(checkpointIdOf(parentConfig) ?? "none"),
    time: printable(checkpoint.ts),
    metadata: formatBriefly(metadata),
    writes: pendingWrites.length === 0 ? "" : countOf(pendingWrites.length, "pending write"),
  };
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
  return [formatFacts(facts, style), ...(body.length === 0 ? ["no values"] : body)].join("\n\n");
}

export const writesCommand: CommandDefinition = {
  name: "writes",
  group: "Inspect",
  summary: "list the pending writes of a checkpoint",
  args: () => [threadArgument()],
  options: () => [checkpointOption(), namespaceOption()],
  examples: ["writes 42", "writes 42 --checkpoint head~1 --json"],
  run: async (context, flags) => {
    const { saver, signal, terminal } = context;
    const { thread, namespace, checkpoint } = checkpointFlags.parse(flags);
    const { id, config } = await resolveCheckpoint(context, { thread, namespace, checkpoint });
    const found = await saver.writesOf(config, { signal });
    const json = { thread, namespace, checkpoint: id, writes: found };
    if (found.length === 0) return success(`checkpoint ${printable(id)} has no writes`, json);
    const table = formatRows(found, WRITE_COLUMNS, terminal.columns);
    return success(`checkpoint ${printable(id)}\n\n${table}`, json);
  },
};

const WRITE_COLUMNS: readonly TableColumn<TaskWrite>[] = [
  ["TASK", ({ taskId }) => printable(taskId)],
  ["PATH", ({ taskPath }) => printable(taskPath)],
  ["IDX", ({ idx }) => String(idx), "number"],
  ["CHANNEL", ({ channel }) => printable(channel)],
  ["TYPE", ({ type }) => printable(type ?? "")],
  ["SIZE", ({ bytes }) => humanBytes(bytes), "number"],
  ["VALUE", ({ value }) => formatBriefly(value), "text"],
];
