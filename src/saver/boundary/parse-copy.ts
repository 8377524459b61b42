import { InvalidConfigError } from "../../errors.js";
import type { CopiedThreads } from "../queries/life/copy-rows.js";
import { threadId } from "./keys.js";
import { parse } from "./parse.js";

/** The threads that `copyThread` is about. */
export function parseCopy(source: unknown, target: unknown): CopiedThreads {
  const threads = { source: parse(threadId, source, "source"), target: parse(threadId, target, "target") };
  if (threads.source === threads.target)
    throw new InvalidConfigError("target", "must be another thread than the source", {
      threadId: threads.target,
    });
  return threads;
}
