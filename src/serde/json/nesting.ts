import { endOfString } from "./big-integers.js";
import { MAX_JSON_DEPTH } from "./limits.js";

const CODE = { QUOTE: 0x22, "[": 0x5b, "]": 0x5d, "{": 0x7b, "}": 0x7d } as const;

/** Whether JSON text has too few brackets to be nested deeper than {@link MAX_JSON_DEPTH}. Most texts have. */
export function hasFewBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["[", "{"])
    for (let index = text.indexOf(bracket); index !== -1; index = text.indexOf(bracket, index + 1)) {
      count += 1;
      if (count > MAX_JSON_DEPTH) return false;
    }
  return true;
}

/** Whether the brackets of JSON text are nested deeper than `depth`. `JSON.parse` takes seconds for millions of levels. */
export function isNestedDeeper(text: string, depth: number): boolean {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === CODE.QUOTE) index = endOfString(text, index) - 1;
    else if (code === CODE["["] || code === CODE["{"]) {
      open += 1;
      if (open > depth) return true;
    } else if (code === CODE["]"] || code === CODE["}"]) open -= 1;
  }
  return false;
}
