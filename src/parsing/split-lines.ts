import { StringDecoder } from "node:string_decoder";

/**
 * Splits a stream of bytes or text into lines, wherever chunks begin and end. Only a line feed ends a line: Node's `readline`
 * also splits at U+2028, which JSON text may hold.
 */
export async function* splitLines(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const [first = "", ...others] = (typeof chunk === "string" ? chunk : decoder.write(chunk)).split("\n");
    rest += first;
    for (const next of others) {
      yield rest;
      rest = next;
    }
  }
  rest += decoder.end();
  if (rest !== "") yield rest;
}
