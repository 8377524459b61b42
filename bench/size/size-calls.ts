import type { CheckpointListOptions, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { threadConfig } from "../../test-support/checkpoints.js";
import type { openOurs } from "../subjects.js";
import { LONG_THREAD, MANY_NAMESPACES, MIDDLE_THREADS } from "./multiply-threads.js";

type OurSaver = ReturnType<typeof openOurs>;

/** A call that is measured. It returns how many things it has read or deleted. */
export interface SizeCall {
  readonly name: string;
  readonly call: (saver: OurSaver) => Promise<number>;
  /** Whether it deletes something, so that it runs once. */
  readonly deletes?: true;
}

const ROOT = { checkpoint_ns: "" };
const RARE = { user: "2-1" };
const COMMON = { source: "loop" };
const KEPT = { keepLast: 5 };

/** The calls, in the order of the report. What deletes comes last. */
export const SIZE_CALLS: readonly SizeCall[] = [
  list("of the long thread, one namespace, limit 10", { thread_id: LONG_THREAD, ...ROOT }, { limit: 10 }),
  list("of the long thread, limit 10", { thread_id: LONG_THREAD }, { limit: 10 }),
  list("of a thread of 0.5 %, one namespace, all", { thread_id: MIDDLE_THREADS[2], ...ROOT }),
  list("of a thread of 0.5 %, all", { thread_id: MIDDLE_THREADS[2] }),
  list("of a thread with a namespace for each call, limit 10", { thread_id: MANY_NAMESPACES }, { limit: 10 }),
  list("of a thread with a namespace for each call, all", { thread_id: MANY_NAMESPACES }),
  list("of all threads, limit 10", {}, { limit: 10 }),
  list("of all threads, limit 100", {}, { limit: 100 }),
  list("of all threads, a filter that most match, limit 10", {}, { filter: COMMON, limit: 10 }),
  list("of all threads, a filter that few match, limit 10", {}, { filter: RARE, limit: 10 }),
  { name: "`listThreads`, limit 100", call: (saver) => counted(saver.listThreads({ limit: 100 })) },
  {
    name: "`listThreads` by a filter that few match",
    call: (saver) => counted(saver.listThreads({ filter: RARE })),
  },
  {
    name: "`history` of the long thread",
    call: async (saver) => entriesOf(await saver.history(LONG_THREAD)),
  },
  { name: "`taskStats` of the long thread", call: (saver) => counted(saver.taskStats(LONG_THREAD)) },
  {
    name: "`storage` of the long thread",
    call: async (saver) => (await saver.storage({ threadId: LONG_THREAD })).total.checkpoints,
  },
  { name: "`storage`", call: async (saver) => (await saver.storage()).total.checkpoints },
  {
    name: "`prune`, dry run",
    call: async (saver) => (await saver.prune({ ...KEPT, dryRun: true })).checkpoints,
  },
  { name: "`verify`: problems", call: async (saver) => (await saver.verify()).problems.length },
  { name: "`prune`", deletes: true, call: async (saver) => (await saver.prune(KEPT)).checkpoints },
];

function list(
  what: string,
  configurable: { readonly thread_id?: string; readonly checkpoint_ns?: string },
  options: CheckpointListOptions = {},
): SizeCall {
  return {
    name: `\`list\` ${what}`,
    call: async (saver) => {
      const config =
        configurable.thread_id === undefined ? {} : threadConfig(configurable.thread_id, configurable);
      return countOf(saver.list(config, options));
    },
  };
}

async function countOf(tuples: AsyncIterable<CheckpointTuple>): Promise<number> {
  let count = 0;
  for await (const { checkpoint } of tuples) count += checkpoint.id === "" ? 0 : 1;
  return count;
}

async function counted(rows: Promise<readonly unknown[]>): Promise<number> {
  return (await rows).length;
}

interface Branches {
  readonly branches: readonly (Branches & { readonly checkpoints: readonly unknown[] })[];
}

function entriesOf({ branches }: Branches): number {
  return branches.reduce((sum, branch) => sum + branch.checkpoints.length + entriesOf(branch), 0);
}
