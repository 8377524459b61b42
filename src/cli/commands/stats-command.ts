import { success } from "./reports.js";
import { Argument, Option } from "commander";
import { z } from "zod";
import type { NodeStats, TaskStats } from "../../audit/audit-types.js";
import type {
  ChannelStorage,
  StorageProgress,
  StorageReport,
  StorageSize,
  ThreadStorage,
} from "../../audit/storage-types.js";
import { InvalidConfigError } from "../../errors/index.js";
import { checkpointNotFound, resolveCheckpoint } from "./resolve-checkpoint.js";
import type { CommandContext, CommandDefinition, Report } from "../command-definition.js";
import { type TableColumn, formatRows, formatTable } from "../output/format-table.js";
import { countOf, humanBytes, humanCount } from "../output/format-numbers.js";
import { shareOption, timeOption } from "../options/option-values.js";
import { CHECKPOINT_HELP, limitFlag, limitOption, namespaceOption } from "../options/shared-options.js";
import { printable } from "../output/printable.js";
import { runLongWork } from "../run/long-work.js";

const DEFAULT_LIMIT = 20;
const statsFlags = z.object({
  thread: z.string().optional(),
  checkpoint: z.string().optional(),
  namespace: z.string().optional(),
  since: z.date().optional(),
  sample: z.number().optional(),
  limit: limitFlag(DEFAULT_LIMIT),
});
type StatsFlags = z.output<typeof statsFlags>;

export const statsCommand: CommandDefinition = {
  name: "stats",
  group: "Inspect",
  summary: "show the storage of threads, channels and tasks",
  args: () => [
    new Argument("[thread]", "only this thread, with its tasks (default: all threads; reads every row)"),
  ],
  options: () => [
    new Option("--checkpoint <id>", `only this checkpoint of the thread: ${CHECKPOINT_HELP}`),
    namespaceOption(),
    timeOption(
      "--since <time>",
      "what tasks wrote from checkpoints since this time, by node and by task: ISO 8601, or an age such as 24h",
    ),
    shareOption(
      "--sample <share>",
      "estimate the storage of all threads by this share of them, drawn at random, such as 1%",
    ),
    limitOption("threads, channels and tasks, largest first", DEFAULT_LIMIT),
  ],
  examples: [
    "stats",
    "stats --sample 1%",
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
    if (thread === undefined) {
      const all = await ofAllThreads(context, parsed);
      return success(formatStorage(all, true, context.terminal.columns), all);
    }
    const { saver, signal, terminal } = context;
    const { columns: width } = terminal;
    const storage = await saver.storage({ threadId: thread, limit, signal });
    if (storage.total.checkpoints + storage.total.blobs + storage.total.writes === 0) {
      throw checkpointNotFound(thread, "");
    }
    const tasks = await saver.taskStats(thread, { signal });
    const largest = [...tasks].sort((a, b) => b.bytes - a.bytes).slice(0, limit);
    const text = [
      formatStorage(storage, false, width),
      ...(tasks.length === 0 ? [] : [formatTasks(largest, width)]),
    ];
    return success(text.join("\n\n"), { ...storage, tasks });
  },
};

/** @throws InvalidConfigError for options that would have no effect. */
function requireThread({ thread, checkpoint, namespace, since, sample }: StatsFlags): void {
  if (sample !== undefined && (thread ?? checkpoint ?? namespace ?? since) !== undefined)
    throw new InvalidConfigError("--sample", "is drawn from all threads: give no thread and no time");
  const option = checkpoint !== undefined ? "--checkpoint" : "--namespace";
  if ((checkpoint ?? namespace) === undefined) return;
  if (thread === undefined) throw new InvalidConfigError(option, "needs a thread");
  if (since !== undefined) throw new InvalidConfigError(option, "does not apply with --since");
}

async function ofAllThreads(
  { saver, signal, terminal }: CommandContext,
  { limit, sample }: StatsFlags,
): Promise<StorageReport> {
  const describe = ({ threads }: StorageProgress): string => countOf(threads, "thread");
  return runLongWork<StorageProgress, StorageReport>(
    { signal, terminal },
    {
      what: "measuring",
      total: ({ expected }) => expected,
      show: (state) => [state.checkpoints + state.blobs + state.writes, describe(state)],
      interrupted: (last) => (last === undefined ? "nothing was measured" : `measured ${describe(last)}`),
      run: (onProgress) => saver.storage({ limit, sample, onProgress, signal }),
    },
  );
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
  return success(text, { since, ...report });
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
  return success(text, { checkpointId, ...storage, tasks });
}

function formatNodes(nodes: readonly NodeStats[]): string {
  return formatRows(nodes, [["NODE", ({ node }) => printable(node ?? "(no node)")], TASKS, ...WRITTEN]);
}

const TASKS: TableColumn<NodeStats> = ["TASKS", ({ tasks }) => humanCount(tasks), "number"];

const WRITTEN: readonly TableColumn<Pick<NodeStats, "writes" | "bytes" | "meanBytes">>[] = [
  ["WRITES", ({ writes }) => humanCount(writes), "number"],
  ["SIZE", ({ bytes }) => humanBytes(bytes), "number"],
  ["MEAN", ({ meanBytes }) => humanBytes(Math.round(meanBytes)), "number"],
];

function formatStorage(
  { total, threads, channels, sampledThreads }: StorageReport,
  withThreads: boolean,
  width: number | undefined,
): string {
  const hasSplices = total.splices > 0;
  const { standardError: error } = total;
  // What splices save is a length before Postgres compresses it, so it stands beside another such length.
  const length = (size?: number, off?: number): string[] =>
    hasSplices ? [size === undefined ? "" : withError(humanBytes, size, off)] : [];
  const row = (name: string, rows: keyof StorageSize, size: keyof StorageSize): string[] => [
    name,
    withError(humanCount, total[rows], error?.[rows]),
    withError(humanBytes, total[size], error?.[size]),
  ];
  const parts = [
    formatTable(
      [
        ["", "ROWS", "SIZE", ...(hasSplices ? ["UNCOMPRESSED"] : [])],
        [...row("checkpoints", "checkpoints", "headerBytes"), ...length()],
        [
          ...row("values", "blobs", "blobBytes"),
          ...length(total.uncompressedBytes, error?.uncompressedBytes),
        ],
        ...(hasSplices ? [["if stored whole", "", "", ...length(total.wholeBytes, error?.wholeBytes)]] : []),
        [...row("writes", "writes", "writeBytes"), ...length()],
        [countOf(total.threads, "thread"), "", humanBytes(bytesOf(total)), ...length()],
      ],
      { numbers: hasSplices ? [1, 2, 3] : [1, 2] },
    ),
    ...(sampledThreads === undefined ? [] : [describeSample(sampledThreads, total)]),
  ];
  const bytes =
    <Item>(of: (item: Item) => number) =>
    (item: Item) =>
      humanBytes(of(item));
  if (withThreads && threads.length > 0) {
    const columns: readonly TableColumn<ThreadStorage>[] = [
      ["THREAD", ({ threadId }) => printable(threadId)],
      ["CHECKPOINTS", ({ checkpoints }) => humanCount(checkpoints), "number"],
      ["HEADERS", bytes(({ headerBytes }) => headerBytes), "number"],
      ["VALUES", bytes(({ blobBytes }) => blobBytes), "number"],
      ["WRITES", bytes(({ writeBytes }) => writeBytes), "number"],
      ["TOTAL", bytes(bytesOf), "number"],
    ];
    parts.push(formatRows(threads, columns, width));
  }
  if (channels.length > 0) {
    const columns: readonly (TableColumn<ChannelStorage> | false)[] = [
      ["CHANNEL", ({ channel }) => printable(channel)],
      ["VALUES", ({ blobs }) => humanCount(blobs), "number"],
      [
        "SIZE",
        ({ blobBytes, standardError }) => withError(humanBytes, blobBytes, standardError?.blobBytes),
        "number",
      ],
      hasSplices && ["UNCOMPRESSED", bytes(({ uncompressedBytes }) => uncompressedBytes), "number"],
      hasSplices && ["WHOLE", bytes(({ wholeBytes }) => wholeBytes), "number"],
      ["WRITES", ({ writes }) => humanCount(writes), "number"],
      [
        "SIZE",
        ({ writeBytes, standardError }) => withError(humanBytes, writeBytes, standardError?.writeBytes),
        "number",
      ],
    ];
    parts.push(formatRows(channels, columns, width));
  }
  return parts.join("\n\n");
}

function withError(format: (number: number) => string, number: number, error: number | undefined): string {
  return error === undefined ? format(number) : `${format(number)} ± ${format(error)}`;
}

function describeSample(drawn: number, { threads, standardError }: StorageReport["total"]): string {
  const of = `estimated from ${humanCount(drawn)} of ${countOf(threads, "thread")}`;
  return standardError === undefined
    ? `${of}: too few to tell the error. Give --sample a larger share`
    : `${of}; ± is the standard error. The largest threads are those of the sample`;
}

function formatTasks(tasks: readonly TaskStats[], width: number | undefined, withThreads = false): string {
  const columns: readonly (TableColumn<TaskStats> | false)[] = [
    withThreads && ["THREAD", ({ threadId }) => printable(threadId)],
    ["TASK", ({ taskId }) => printable(taskId)],
    ["PATH", ({ taskPath }) => printable(taskPath)],
    ["CHECKPOINT", ({ checkpointId }) => printable(checkpointId)],
    ["NAMESPACE", ({ checkpointNs }) => printable(checkpointNs)],
    ...WRITTEN,
  ];
  return formatRows(tasks, columns, width);
}

function bytesOf({ headerBytes, blobBytes, writeBytes }: StorageSize): number {
  return headerBytes + blobBytes + writeBytes;
}
