import type { ValueNode } from "../api/value-node.js";
import { type CutText, cutText } from "./cut-text.js";

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
