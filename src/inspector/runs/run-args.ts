import { z } from "zod";
import { keyText, recordOf } from "../../parsing/keys.js";
import { checkpointId, threadId } from "../calls/args.js";

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
  threadId,
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
