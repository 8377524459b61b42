import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { read } from "../../server/call-server.js";

/** Reads a text in parts, from a position to its end. */
export async function readText(place: ValuePlace, path: ValuePath, from: number): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = from; offset !== undefined;) {
    const { text, next }: { readonly text: string; readonly next?: number } = await read("text", {
      ...{ place, path, offset },
    });
    parts.push(text);
    offset = next;
  }
  return parts.join("");
}
