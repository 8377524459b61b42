import { Argument, Option } from "commander";
import { z } from "zod";
import type { NodeStats, StorageReport, StorageSize, TaskStats } from "../../audit/audit-types.js";
import { InvalidConfigError } from "../../errors/index.js";
import { notFound, resolveCheckpoint } from "../checkpoints/resolve-checkpoint.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../output/format-table.js";
import { counted, humanBytes, humanCount } from "../output/format-numbers.js";
import { countOption, parseTime } from "../options/option-values.js";
import { CHECKPOINT_HELP, namespaceOption } from "../options/shared-options.js";
import { printable } from "../output/printable.js";

const DEFAULT_LIMIT = 20;
const statsFlags = z.object({
  thread: z.string().optional(),
  checkpoint: z.string().optional(),
  namespace: z.string().optional(),
  since: z.date().optional(),
  limit: z.number().default(DEFAULT_LIMIT),
});
type StatsFlags = z.output<typeof statsFlags>;

export const stats: CommandDefinition = {
  name: "stats",
  group: "Inspect",
  summary: "show the storage of threads, channels and tasks",
  args: () => [
    new Argument("[thread]", "only this thread, with its tasks (default: all threads; reads every row)"),
  ],
  options: () => [
    new Option("--checkpoint <id>", `only this checkpoint of the thread: ${CHECKPOINT_HELP}`),
    namespaceOption(),
    new Option(
      "--since <time>",
      "what tasks wrote from checkpoints since this time, by node and by task: ISO 8601, or an age such as 24h",
    ).argParser(parseTime),
    countOption(
      "--limit <n>",
      `how many threads, channels and tasks, largest first (default: ${DEFAULT_LIMIT})`,
      1,
    ),
  ],
  examples: [
    "stats",
    "stats 42 --limit 5",
    "stats 42 --checkpoint head~1",
    "stats --since 24h",
    "stats --json",
  ],
  run: async (context, flags) => {
    const parsed = statsFlags.parse(flags);
    const { thread, limit } = parsed;
    requireThread(parsed);
    if (parsed.since !== undefined) return tasksSince(context, parsed, parsed.since);
    if (thread !== undefined && (parsed.checkpoint ?? parsed.namespace) !== undefined)
      return ofCheckpoint(context, parsed, thread);
    const { saver, signal, terminal } = context;
    const { columns: width } = terminal;
    const storage = await saver.storage({ threadId: thread, limit, signal });
    if (thread === undefined) {
      return { exitCode: EXIT_CODE.ok, text: formatStorage(storage, true, width), json: storage };
    }
    if (storage.total.checkpoints + storage.total.blobs + storage.total.writes === 0) {
      throw notFound(thread, "");
    }
    const tasks = await saver.taskStats(thread, { signal });
    const largest = [...tasks].sort((a, b) => b.bytes - a.bytes).slice(0, limit);
    const text = [
      formatStorage(storage, false, width),
      ...(tasks.length === 0 ? [] : [formatTasks(largest, width)]),
    ];
    return { exitCode: EXIT_CODE.ok, text: text.join("\n\n"), json: { ...storage, tasks } };
  },
};

/** @throws InvalidConfigError for options that would have no effect. */
function requireThread({ thread, checkpoint, namespace, since }: StatsFlags): void {
  const option = checkpoint !== undefined ? "--checkpoint" : "--namespace";
  if ((checkpoint ?? namespace) === undefined) return;
  if (thread === undefined) throw new InvalidConfigError(option, "needs a thread");
  if (since !== undefined) throw new InvalidConfigError(option, "does not apply with --since");
}

async function tasksSince(
  { saver, signal, terminal }: CommandContext,
  { thread, limit }: StatsFlags,
  since: Date,
): Promise<Report> {
  const report = await saver.taskStats({ threadId: thread, since, limit, signal });
  const { nodes, tasks } = report;
  const text =
    tasks.length === 0
      ? `no task has written since ${since.toISOString()}`
      : [formatNodes(nodes), formatTasks(tasks, terminal.columns, true)].join("\n\n");
  return { exitCode: EXIT_CODE.ok, text, json: { since, ...report } };
}

async function ofCheckpoint(
  context: CommandContext,
  { checkpoint, namespace = "", limit }: StatsFlags,
  thread: string,
): Promise<Report> {
  const { id: checkpointId } = await resolveCheckpoint(context, { thread, namespace, checkpoint });
  const { saver, signal, terminal } = context;
  const place = { checkpointNs: namespace, checkpointId, signal };
  const storage = await saver.storage({ ...place, threadId: thread, limit });
  const tasks = await saver.taskStats(thread, place);
  const text = [
    `checkpoint ${printable(checkpointId)}`,
    formatStorage(storage, false, terminal.columns),
    ...(tasks.length === 0 ? [] : [formatTasks(tasks, terminal.columns)]),
  ].join("\n\n");
  return { exitCode: EXIT_CODE.ok, text, json: { checkpointId, ...storage, tasks } };
}

function formatNodes(nodes: readonly NodeStats[]): string {
  const rows = nodes.map(({ node, tasks, writes, bytes, meanBytes }) => [
    printable(node ?? "(no node)"),
    humanCount(tasks),
    humanCount(writes),
    humanBytes(bytes),
    humanBytes(Math.round(meanBytes)),
  ]);
  return formatTable([["NODE", "TASKS", "WRITES", "SIZE", "MEAN"], ...rows], { numbers: [1, 2, 3, 4] });
}

function formatStorage(
  { total, threads, channels }: StorageReport,
  withThreads: boolean,
  width: number | undefined,
): string {
  const hasSplices = total.splices > 0;
  // What splices save is a length before Postgres compresses it, so it stands beside another such length.
  const length = (bytes: number | undefined): string[] =>
    hasSplices ? [bytes === undefined ? "" : humanBytes(bytes)] : [];
  const parts = [
    formatTable(
      [
        ["", "ROWS", "SIZE", ...(hasSplices ? ["UNCOMPRESSED"] : [])],
        ["checkpoints", humanCount(total.checkpoints), humanBytes(total.headerBytes), ...length(undefined)],
        ["values", humanCount(total.blobs), humanBytes(total.blobBytes), ...length(total.uncompressedBytes)],
        ...(hasSplices ? [["if stored whole", "", "", ...length(total.wholeBytes)]] : []),
        ["writes", humanCount(total.writes), humanBytes(total.writeBytes), ...length(undefined)],
        [counted(total.threads, "thread"), "", humanBytes(bytesOf(total)), ...length(undefined)],
      ],
      { numbers: hasSplices ? [1, 2, 3] : [1, 2] },
    ),
  ];
  if (withThreads && threads.length > 0) {
    const rows = threads.map((thread) => [
      printable(thread.threadId),
      humanCount(thread.checkpoints),
      humanBytes(thread.headerBytes),
      humanBytes(thread.blobBytes),
      humanBytes(thread.writeBytes),
      humanBytes(bytesOf(thread)),
    ]);
    const head = ["THREAD", "CHECKPOINTS", "HEADERS", "VALUES", "WRITES", "TOTAL"];
    parts.push(formatTable([head, ...rows], { numbers: [1, 2, 3, 4, 5], width }));
  }
  if (channels.length > 0) {
    const rows = channels.map((channel) => [
      printable(channel.channel),
      humanCount(channel.blobs),
      humanBytes(channel.blobBytes),
      ...length(channel.uncompressedBytes),
      ...length(channel.wholeBytes),
      humanCount(channel.writes),
      humanBytes(channel.writeBytes),
    ]);
    const head = [
      "CHANNEL",
      "VALUES",
      "SIZE",
      ...(hasSplices ? ["UNCOMPRESSED", "WHOLE"] : []),
      "WRITES",
      "SIZE",
    ];
    const numbers = hasSplices ? [1, 2, 3, 4, 5, 6] : [1, 2, 3, 4];
    parts.push(formatTable([head, ...rows], { numbers, width }));
  }
  return parts.join("\n\n");
}

function formatTasks(tasks: readonly TaskStats[], width: number | undefined, withThreads = false): string {
  const rows = tasks.map((task) => [
    ...(withThreads ? [printable(task.threadId)] : []),
    printable(task.taskId),
    printable(task.taskPath),
    printable(task.checkpointId),
    printable(task.checkpointNs),
    humanCount(task.writes),
    humanBytes(task.bytes),
    humanBytes(Math.round(task.meanBytes)),
  ]);
  const head = ["TASK", "PATH", "CHECKPOINT", "NAMESPACE", "WRITES", "SIZE", "MEAN"];
  const first = withThreads ? 1 : 0;
  return formatTable([[...(withThreads ? ["THREAD"] : []), ...head], ...rows], {
    numbers: [4 + first, 5 + first, 6 + first],
    width,
  });
}

function bytesOf({ headerBytes, blobBytes, writeBytes }: StorageSize): number {
  return headerBytes + blobBytes + writeBytes;
}
