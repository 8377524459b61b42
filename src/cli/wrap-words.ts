import { textWidth } from "./text-width.js";

/** Breaks text between words, so that each line has room in `width` columns. A longer word has a line of its own, whole. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || textWidth(longer) <= width) {
      line = longer;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ""];
}
