import { DeserializationError, type ErrorLocation } from "../../errors/index.js";
import { parseJsonText } from "../json/json-text.js";

/**
 * Decodes a value from the text of a JSONB column.
 *
 * @throws DeserializationError that names the row.
 */
export async function decodeJsonb(text: string, location: ErrorLocation): Promise<unknown> {
  try {
    return await parseJsonText(text, "jsonb");
  } catch (error) {
    throw error instanceof DeserializationError ? error.at(location) : error;
  }
}
