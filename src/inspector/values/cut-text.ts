import type { ValueNode } from "../api/value-node.js";

/** The most characters of a text that a response shows before somebody asks for the rest. */
const MAX_TEXT = 2_000;

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

/** The most characters of texts in one answer. In UTF-8 they take less than 1 MB. */
const MAX_CHARACTERS = 256 * 1_024;
/** What is left of a text when the others have used up the room. */
const MAX_BEGINNING = 100;

/** The room for texts in an answer. When it is used up, everything else is cut to its beginning. */
export class TextRoom {
  #left = MAX_CHARACTERS;

  /** Returns the start of a text, as much as there is room for. */
  cut(text: string, max: number): CutText {
    const cut = cutText(text, this.#left > max ? max : MAX_BEGINNING);
    this.#left -= cut.text.length;
    return cut;
  }

  /** Cuts the text of a node. */
  cutNode(node: ValueNode): ValueNode {
    const { text, isCut } = this.cut(node.text, node.text.length);
    return isCut ? { ...node, text, isCut } : node;
  }
}

/** The characters before the first difference that are still shown. */
const SHOWN_BEFORE = 100;

/**
 * Returns how many characters two texts begin with alike, apart from the last of them: what can be left out before their difference is
 * shown. Never between the halves of a character.
 */
export function commonStart(before: string, after: string): number {
  const length = Math.min(before.length, after.length);
  let position = 0;
  while (position < length && before.charCodeAt(position) === after.charCodeAt(position)) position++;
  const skipped = Math.max(0, position - SHOWN_BEFORE);
  return skipped > 0 && /^[\uDC00-\uDFFF]/.test(before.slice(skipped, skipped + 1)) ? skipped - 1 : skipped;
}
