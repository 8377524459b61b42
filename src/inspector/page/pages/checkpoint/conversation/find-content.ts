import type { ValuePlace } from "../../../../api/places.js";
import type { ValuePath } from "../../../../api/value-node.js";
import { read } from "../../../server/call-server.js";

/** More fields than a message has. */
const MAX_FIELDS = 200;

/** Finds the text of a message: its field `content`, if that is one text. Messages that were not revived have it inside `kwargs`. */
export async function findContent(place: ValuePlace, message: ValuePath): Promise<ValuePath | undefined> {
  const { value, children } = await read("value", { place, path: message, offset: 0, limit: MAX_FIELDS });
  if (value.type === "string") return message;
  const content = children.find(({ label }) => label === "content");
  if (content?.value.type === "string") return [...message, content.step];
  const kwargs = children.find(({ label }) => label === "kwargs");
  return content === undefined && kwargs !== undefined
    ? findContent(place, [...message, kwargs.step])
    : undefined;
}
