import { z } from "zod";
import { keyText, storedText } from "../../parsing/keys.js";

/** Schemas of arguments that several calls have. */
/** An official saver may have stored a thread with an empty id. */
export const threadId = keyText;
export const namespace = keyText;
export const checkpointId = keyText.min(1);
export const namespacePlace = z.strictObject({ threadId, namespace });
/** Of the stream of events. */
export const eventsArgs = z.strictObject({ threadId });
export const checkpointPlace = namespacePlace.extend({ checkpointId });

/** The labels of items that are read. A text with a period would be two labels. */
export const storedLabels = z.array(storedText.regex(/^[^.]*$/, "must not contain a period"));

/** The number of entries of a page. */
export function limitUpTo(max: number) {
  return z.number().int().min(1).max(max).optional();
}
