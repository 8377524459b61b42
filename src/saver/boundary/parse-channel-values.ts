import { z } from "zod";
import type { ChannelValuesKey } from "../queries/get-channel-values.js";
import type { Damage } from "../../errors/index.js";
import { functionSchema } from "../../parsing/function-schema.js";
import { checkpointNs, keyText, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { parseStaleReadOptions } from "../../parsing/parse-call-options.js";

/** The value that `getChannelValues` reads of each thread. */
export interface ChannelValuesRequest {
  /** The ids of the threads. A thread that does not exist is no error. */
  readonly threadIds: readonly (string | number)[];
  readonly channel: string;
  /** The namespace. Default `""`, the root graph. */
  readonly checkpointNs?: string | undefined;
  /** Called with each value that can't be read, whose thread the result lacks. Default: the first one ends the call. */
  readonly onDamaged?: ((damage: Damage) => void) | undefined;
}

const request = z.strictObject({
  ...{ threadIds: z.array(threadId), channel: keyText, checkpointNs },
  onDamaged: functionSchema<(damage: Damage) => void>().optional(),
});

/** Parses the arguments of `getChannelValues`. A thread that is named twice is read once. */
export function parseChannelValuesRequest(
  value: unknown,
  options: unknown,
): ChannelValuesKey & Pick<ChannelValuesRequest, "onDamaged"> {
  parseStaleReadOptions(options);
  const { threadIds, ...rest } = parse(request, value, "request");
  return { ...rest, threadIds: [...new Set(threadIds)] };
}
