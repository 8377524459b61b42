import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { JsonSerializer } from "../../serde/json/json-serializer.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { CopiedThreads } from "../queries/copied-headers.js";
import { storedThreadId, threadId } from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";
import { abortSignal } from "../../parsing/parse-call-options.js";

const copyOptions = z
  .strictObject({ reencode: z.boolean().nullish(), signal: abortSignal.nullish() })
  .nullish();

/** Parses the arguments of `copyThread`. */
export function parseCopy(
  source: unknown,
  target: unknown,
  options: unknown,
  serde: ContextualSerializer,
): CopiedThreads {
  const threads = {
    source: parse(storedThreadId, source, "source"),
    target: parse(threadId, target, "target"),
  };
  if (threads.source === threads.target)
    throw new InvalidConfigError("target", "must differ from the source thread", {
      threadId: threads.target,
    });
  const reencode = parse(copyOptions, options, "options")?.reencode ?? false;
  if (reencode && serde instanceof JsonSerializer)
    throw new InvalidConfigError(
      "options.reencode",
      "needs a serializer whose values Python's saver reads: JsonSerializer is for the official JavaScript saver, which refuses text versions",
    );
  return { ...threads, reencode };
}
