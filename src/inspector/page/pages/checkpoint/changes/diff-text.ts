import type { ChangeObject } from "diff";
import { diffLines } from "diff/lib/diff/line.js";
import { diffWordsWithSpace } from "diff/lib/diff/word.js";

/** A piece of two texts. */
export interface TextPiece {
  readonly text: string;
  readonly kind: "both" | "before" | "after";
}

/** Texts above this are compared by lines. */
const MAX_WORDS_LENGTH = 5_000;
/** Texts above this are not compared. */
const MAX_LENGTH = 200_000;
/** How long a comparison may take, in milliseconds. */
const TIMEOUT = 200;

/** Compares two texts. Returns `undefined` where that would take too long. */
export function diffText(before: string, after: string): readonly TextPiece[] | undefined {
  const length = before.length + after.length;
  if (length > MAX_LENGTH) return undefined;
  const options = { timeout: TIMEOUT };
  const pieces =
    length > MAX_WORDS_LENGTH
      ? diffLines(before, after, options)
      : diffWordsWithSpace(before, after, options);
  return pieces?.map(pieceOf);
}

function pieceOf({ value, added, removed }: ChangeObject<string>): TextPiece {
  return { text: value, kind: added ? "after" : removed ? "before" : "both" };
}
