/** The most characters of a text that a response shows before somebody asks for the rest. */
export const MAX_TEXT = 2_000;

/** A text, or its start. */
export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** Returns the start of a text. */
export function cutText(text: string, max: number = MAX_TEXT): CutText {
  const end = endOfPart(text, 0, max);
  return end === text.length ? { text, isCut: false } : { text: text.slice(0, end), isCut: true };
}

/** Returns the end of a part of a text, which is never between the halves of a character. */
export function endOfPart(text: string, start: number, max: number): number {
  const end = start + max;
  if (end >= text.length) return text.length;
  return isSplitAt(text, end) && end - 1 > start ? end - 1 : end;
}

/** Whether a position is between the halves of a character. */
export function isSplitAt(text: string, position: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(position - 1, position + 1));
}
