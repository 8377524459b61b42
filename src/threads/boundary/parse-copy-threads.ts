import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { functionSchema, parse } from "../../parsing/parse.js";
import { threadId } from "../../parsing/keys.js";
import { abortSignal } from "../../parsing/parse-call-options.js";
import { isObject } from "../../serde/objects/inspect-object.js";
import type { CopyThreadsOptions } from "../between-savers/copy-threads-types.js";

/** The methods that a copy calls. */
const METHODS = ["list", "getTuple", "put", "putWrites", "getNextVersion"];

const copyOptions = z
  .strictObject({
    signal: abortSignal.optional(),
    threads: z.array(threadId).optional(),
    strict: z.boolean().default(false),
    onProgress: functionSchema<NonNullable<CopyThreadsOptions["onProgress"]>>().optional(),
  })
  .prefault({});

/** Parses the arguments of `copyThreads`. */
export function parseCopyThreads(
  source: unknown,
  target: unknown,
  options: unknown,
): z.output<typeof copyOptions> {
  requireSaver(source, "source");
  requireSaver(target, "target");
  if (source === target) throw new InvalidConfigError("target", "must be another saver than the source");
  return parse(copyOptions, options, "options");
}

/** Whether a value is a saver, of whichever copy of LangGraph's package. */
export function isSaver(value: unknown): value is BaseCheckpointSaver {
  try {
    return isObject(value) && METHODS.every((name) => typeof Reflect.get(value, name) === "function");
  } catch {
    // A Proxy that throws.
    return false;
  }
}

function requireSaver(value: unknown, name: string): void {
  if (!isSaver(value)) throw new InvalidConfigError(name, "must be a checkpoint saver");
}
