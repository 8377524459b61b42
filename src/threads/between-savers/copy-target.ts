import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { isObject } from "../../serde/objects/type-guards.js";
import type { PlacedTask } from "./task-writes.js";

/** What the savers of this library offer to a copy, beside the methods that all savers have. */
export interface CopyTarget {
  /** How many of the newest checkpoints of a namespace each `put` leaves there. `undefined`: all. */
  readonly keepLast: number | undefined;
  /** Stores writes in one transaction. Unlike `putWrites` it replaces what is stored at the same position, and the paths of the tasks. */
  readonly replaceWrites: (config: RunnableConfig, tasks: readonly PlacedTask[]) => Promise<void>;
}

/** Where a saver has its {@link CopyTarget}. A process may have loaded the package as ESM and as CommonJS. */
export const COPY_TARGET: unique symbol = Symbol.for("langgraph-checkpoint-kysely.copy-target");

/** Returns what a saver offers to a copy; `undefined` for a saver of another library, and one whose `putWrites` was overridden. */
export function copyTargetOf(saver: BaseCheckpointSaver): CopyTarget | undefined {
  const offered: unknown = Reflect.get(saver, COPY_TARGET);
  return isCopyTarget(offered) ? offered : undefined;
}

function isCopyTarget(value: unknown): value is CopyTarget {
  return isObject(value) && typeof Reflect.get(value, "replaceWrites") === "function";
}
