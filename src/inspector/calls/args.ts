import { z } from "zod";
import { keyText, storedText, recordOf } from "../../parsing/keys.js";

// Schemas of arguments that several calls have.
export const checkpointId = keyText.min(1);
/** An official saver may have stored a thread with an empty id. */
export const threadArgs = z.strictObject({ threadId: keyText });
export const namespacePlace = threadArgs.extend({ namespace: keyText });
export const checkpointPlace = namespacePlace.extend({ checkpointId });

/** The labels of items that are read. A text with a period would be two labels. */
export const storedLabels = z.array(storedText.regex(/^[^.]*$/, "must not contain a period"));

/** The number of entries of a page. */
export function limitUpTo(max: number) {
  return z.number().int().min(1).max(max).optional();
}

/** The most questions that can be answered at once. */
export const MAX_ANSWERS = 100;

const text = z.string().max(200_000);
const decision = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("approve") }),
  z.strictObject({ type: z.literal("edit"), args: recordOf(keyText, z.unknown()) }),
  z.strictObject({ type: z.literal("reject"), message: text.optional() }),
  z.strictObject({ type: z.literal("respond"), message: text }),
]);
const key = z.string().max(100);

/** The arguments of a run. */
export const runArgs = z.strictObject({
  threadId: keyText,
  graph: z.string(),
  checkpointId,
  kind: z.enum(["answer", "continue", "replay"]),
  answers: z
    .array(
      z.union([
        z.strictObject({ key, decisions: z.array(decision).max(1_000) }),
        z.strictObject({ key, value: z.unknown() }),
      ]),
    )
    .max(MAX_ANSWERS)
    .optional(),
});
