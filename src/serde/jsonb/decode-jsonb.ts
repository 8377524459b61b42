import { DeserializationError, type ErrorLocation } from "../../errors/index.js";
import { parseJsonText } from "../json/json-text.js";

/**
 * Decodes a value from the text of a JSONB column.
 *
 * @param origin - `header` for the header of a checkpoint and its parts, in which large integers are BigInts.
 * @throws DeserializationError that names the row.
 */
export async function decodeJsonb(
  text: string,
  location: ErrorLocation,
  origin: "jsonb" | "header" = "jsonb",
): Promise<unknown> {
  try {
    return await parseJsonText(text, origin);
  } catch (error) {
    throw error instanceof DeserializationError ? error.at(location) : error;
  }
}
