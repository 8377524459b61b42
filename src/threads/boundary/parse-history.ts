import type { NamespaceKey } from "../../saver/model/keys.js";
import { checkpointNs, storedThreadId } from "../../parsing/keys.js";
import { staleReadOptions } from "../../parsing/parse-call-options.js";
import { parse } from "../../parsing/parse.js";

const options = staleReadOptions.extend({ checkpointNs }).prefault({});

/** Parses the arguments of `history`. */
export function parseHistory(thread: unknown, given: unknown): NamespaceKey {
  const { checkpointNs } = parse(options, given, "options");
  return { threadId: parse(storedThreadId, thread, "threadId"), checkpointNs };
}
