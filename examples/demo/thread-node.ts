import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { z } from "zod";

/** The facts of a checkpoint that the drawing of its thread shows. */
export interface ThreadNode {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly step: number;
  /** The source of the checkpoint: `input`, `loop`, `update` or `fork`. */
  readonly source: string;
  /** The nodes whose writes the checkpoint contains, with the tool for tasks of a Send. */
  readonly writtenBy: readonly string[];
  /** The question of the interrupt at this checkpoint. */
  readonly question: string | undefined;
  /** The person's answer. */
  readonly answer: string | undefined;
}

const ToolTask = z.object({
  node: z.string(),
  args: z.object({ lg_tool_call: z.object({ name: z.string() }) }),
});
const Tasks = z.array(ToolTask).catch([]);
// LangGraph before 1.7 writes a single interrupt without a list.
const Interrupt = z.object({ value: z.unknown() });
const Interrupts = z.union([
  Interrupt,
  z
    .array(Interrupt)
    .min(1)
    .transform(([first]) => first),
]);

/** The checkpoints of a thread, oldest first. */
export function threadNodes(tuples: readonly CheckpointTuple[]): ThreadNode[] {
  const byId = new Map(tuples.map((tuple) => [tuple.checkpoint.id, tuple]));
  return [...byId.keys()].sort().flatMap((id) => {
    const tuple = byId.get(id);
    return tuple === undefined ? [] : [threadNode(tuple, byId.get(parentIdOf(tuple) ?? ""))];
  });
}

/** The question of the interrupt at a checkpoint, if there is one. */
export function questionOf(tuple: CheckpointTuple): string | undefined {
  return asText(Interrupts.safeParse(lastWrite(tuple, "__interrupt__")).data?.value);
}

function threadNode(tuple: CheckpointTuple, parent: CheckpointTuple | undefined): ThreadNode {
  const source = tuple.metadata?.source ?? "?";
  return {
    id: tuple.checkpoint.id,
    parentId: parentIdOf(tuple),
    step: tuple.metadata?.step ?? 0,
    source,
    writtenBy: source === "loop" ? [...nodesThatRan(tuple, parent), ...toolsThatRan(parent)] : [],
    question: questionOf(tuple),
    answer: asText([lastWrite(tuple, "__resume__")].flat().at(-1)),
  };
}

/** The nodes that ran since the parent checkpoint: their entries in `versions_seen` changed. */
function nodesThatRan(tuple: CheckpointTuple, parent: CheckpointTuple | undefined): string[] {
  const before = parent?.checkpoint.versions_seen ?? {};
  return Object.entries(tuple.checkpoint.versions_seen)
    .filter(([name]) => name !== "__interrupt__")
    .filter(([name, seen]) => JSON.stringify(seen) !== JSON.stringify(before[name] ?? {}))
    .map(([name]) => name);
}

/** The tools that ran in the tasks of the parent's Sends. Such tasks have no entries in `versions_seen`. */
function toolsThatRan(parent: CheckpointTuple | undefined): string[] {
  const tasks = Tasks.parse(parent?.checkpoint.channel_values.__pregel_tasks);
  return tasks.map(({ node, args }) => `${node}(${args.lg_tool_call.name})`);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
}

function lastWrite(tuple: CheckpointTuple, channel: string): unknown {
  return tuple.pendingWrites?.findLast(([, name]) => name === channel)?.[2];
}

function parentIdOf({ parentConfig }: CheckpointTuple): string | undefined {
  return z.string().optional().parse(parentConfig?.configurable?.checkpoint_id);
}
