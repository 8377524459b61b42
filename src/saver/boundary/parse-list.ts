import { z } from "zod";
import type { ListScope } from "../queries/list-tuple-rows.js";
import type { TupleSelection } from "../model/tuple-shape.js";
import { encodeFilter } from "../../parsing/encode-filter.js";
import { keyText, optionalCheckpointId, recordOf, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { readOptions, toSelection } from "./parse-selection.js";

// `undefined` is no thread, as LangGraph has it; an empty one or `null` went wrong on its way, and must not ask for all.
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

/** A list as it was asked for. */
export interface ListRequest {
  readonly scope: ListScope;
  readonly selection: TupleSelection;
  /** The number of checkpoints at most; no bound where it is `undefined`. */
  readonly limit: number | undefined;
}

/** What `list` is asked for. All threads only when the config really names none: an empty one is refused. */
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
