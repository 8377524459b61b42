import { Argument } from "commander";
import { z } from "zod";
import type { StorageReport, StorageSize, TaskStats } from "../../audit/audit-types.js";
import { notFound } from "../checkpoints/resolve-checkpoint.js";
import type { CommandDefinition } from "../command-definition.js";
import { EXIT_CODE } from "../exit-code.js";
import { formatTable } from "../output/format-table.js";
import { counted, humanBytes, humanCount } from "../output/format-numbers.js";
import { countOption } from "../options/option-values.js";
import { printable } from "../output/printable.js";

const DEFAULT_LIMIT = 20;
const statsFlags = z.object({ thread: z.string().optional(), limit: z.number().default(DEFAULT_LIMIT) });

export const stats: CommandDefinition = {
  name: "stats",
  group: "Inspect",
  summary: "show the storage of threads, channels and tasks",
  args: () => [
    new Argument("[thread]", "only this thread, with its tasks (default: all threads; reads every row)"),
  ],
  options: () => [
    countOption(
      "--limit <n>",
      `how many threads, channels and tasks, largest first (default: ${DEFAULT_LIMIT})`,
      1,
    ),
  ],
  examples: ["stats", "stats 42 --limit 5", "stats --json"],
  run: async ({ saver, signal, terminal: { columns: width } }, flags) => {
    const { thread, limit } = statsFlags.parse(flags);
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

function formatStorage(
  { total, threads, channels }: StorageReport,
  withThreads: boolean,
  width: number | undefined,
): string {
  const hasSplices = total.splices > 0;
  const parts = [
    formatTable(
      [
        ["", "ROWS", "SIZE"],
        ["checkpoints", humanCount(total.checkpoints), humanBytes(total.headerBytes)],
        ["values", humanCount(total.blobs), humanBytes(total.blobBytes)],
        ...(hasSplices ? [["if stored whole", "", humanBytes(total.wholeBytes)]] : []),
        ["writes", humanCount(total.writes), humanBytes(total.writeBytes)],
        [counted(total.threads, "thread"), "", humanBytes(bytesOf(total))],
      ],
      { numbers: [1, 2] },
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
      ...(hasSplices ? [humanBytes(channel.wholeBytes)] : []),
      humanCount(channel.writes),
      humanBytes(channel.writeBytes),
    ]);
    const head = ["CHANNEL", "VALUES", "SIZE", ...(hasSplices ? ["WHOLE"] : []), "WRITES", "SIZE"];
    parts.push(formatTable([head, ...rows], { numbers: hasSplices ? [1, 2, 3, 4, 5] : [1, 2, 3, 4], width }));
  }
  return parts.join("\n\n");
}

function formatTasks(tasks: readonly TaskStats[], width: number | undefined): string {
  const rows = tasks.map((task) => [
    printable(task.taskId),
    printable(task.taskPath),
    printable(task.checkpointId),
    printable(task.checkpointNs),
    humanCount(task.writes),
    humanBytes(task.bytes),
    humanBytes(Math.round(task.meanBytes)),
  ]);
  const head = ["TASK", "PATH", "CHECKPOINT", "NAMESPACE", "WRITES", "SIZE", "MEAN"];
  return formatTable([head, ...rows], { numbers: [4, 5, 6], width });
}

function bytesOf({ headerBytes, blobBytes, writeBytes }: StorageSize): number {
  return headerBytes + blobBytes + writeBytes;
}
