import { stripVTControlCharacters } from "node:util";

const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const NARROWEST = /[\p{Mark}\u200b-\u200d]/u;

/** How many columns of a terminal a line of text takes: colours none, wide characters two. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) {
    width += WIDE.test(character) ? 2 : NARROWEST.test(character) ? 0 : 1;
  }
  return width;
}
