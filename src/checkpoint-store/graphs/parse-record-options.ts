import { z } from "zod";
import { MAX_TIMER_MS } from "../../db/async/timers.js";
import { functionSchema } from "../../parsing/function-schema.js";
import { parse } from "../../parsing/parse.js";
import { requiredKey } from "../boundary/parse-execution-checkpoint.js";
import type { CheckpointStore } from "../checkpoint-store.js";
import { newExecutionId } from "../create-checkpoint.js";
import type { RecordableGraph } from "./recordable-graph.js";

const options = z.strictObject({
  store: z.custom<CheckpointStore>(isStore, "must be a checkpoint store"),
  executionId: requiredKey.optional().transform((id) => id ?? newExecutionId()),
  threadId: requiredKey.optional(),
  autoSave: z.boolean().default(true),
  saveIntervalMs: z.int().min(1).max(MAX_TIMER_MS).default(30_000),
  maxCheckpoints: z.int().min(0).default(10),
  onError: z.union([z.literal("throw"), functionSchema<(error: unknown) => void>()]).default("throw"),
});

/** The options of a recording, with their defaults. */
export type ParsedRecordOptions = z.output<typeof options>;

export function parseRecordOptions(value: unknown): ParsedRecordOptions {
  return parse(options, value, "options");
}

const graph = z
  .custom<RecordableGraph>(isGraph, "must be a compiled graph")
  .refine(
    ({ checkpointer }) => checkpointer === undefined || checkpointer === false,
    "has a checkpointer, which stores its states: compile it without one",
  );

/** Checks that a value is a compiled graph without a checkpointer. */
export function checkGraph(value: unknown): void {
  parse(graph, value, "graph");
}

const resumeOptions = z.strictObject({
  at: z.union([z.string(), z.array(z.string()).min(1)]).transform((names) => [names].flat()),
  update: z.unknown().optional(),
});

/** Parses the options of `resumeFromCheckpoint`. `nodes` are those of the graph. */
export function parseResumeOptions(value: unknown, nodes: object): z.output<typeof resumeOptions> {
  const known = resumeOptions.refine(({ at }) => at.every((name) => Object.hasOwn(nodes, name)), {
    path: ["at"],
    message: "the graph has no such node",
  });
  return parse(known, value, "resume");
}

function isStore(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return ["save", "load", "list", "latest", "clear"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
}

function isGraph(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, "lg_is_pregel") === true;
}
