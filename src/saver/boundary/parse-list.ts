import { z } from "zod";
import type { ListScope } from "../queries/list-scope.js";
import type { TupleSelection } from "../model/tuple-shape.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { keyText, optionalCheckpointId, recordOf, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { readOptions, toSelection } from "./parse-selection.js";

// LangGraph passes `undefined` for no thread. An empty text or `null` is a mistake, and must not list all threads.
const scope = z.object({
  configurable: z
    .object({
      thread_id: threadId.optional(),
      checkpoint_ns: keyText.nullish().transform((ns) => ns ?? undefined),
      checkpoint_id: optionalCheckpointId,
    })
    .optional(),
});

const listOptions = readOptions.extend({
  limit: z.number().int().min(0).optional(),
  before: z.object({ configurable: z.object({ checkpoint_id: optionalCheckpointId }).optional() }).optional(),
  filter: recordOf(z.string(), z.unknown()).optional(),
});

/** The parsed arguments of `list`. */
export interface ListRequest {
  readonly scope: ListScope;
  readonly selection: TupleSelection;
  /** The largest number of checkpoints, or `undefined` for no limit. */
  readonly limit: number | undefined;
}

/** Parses the arguments of `list`. It lists all threads only where the config names none; an empty thread id is refused. */
export function parseListRequest(config: unknown, options: unknown): ListRequest {
  const { configurable } = parse(scope, config ?? {}, "config");
  const { limit, before, filter, ...selection } = parse(listOptions, options ?? {}, "options");
  const asked = encodeFilter(filter, "options.filter");
  return {
    scope: {
      threadId: configurable?.thread_id,
      checkpointNs: configurable?.checkpoint_ns,
      checkpointId: configurable?.checkpoint_id,
      before: before?.configurable?.checkpoint_id,
      filter: asked?.contained,
      unlike: asked?.notContained,
    },
    selection: toSelection(selection),
    limit,
  };
}
