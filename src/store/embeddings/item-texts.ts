import { textsAtPath } from "./text-path.js";

/** A text of an item, which gets a vector of its own. */
export interface ItemText {
  /** The name of the vector, as Python's store names it: the path, with a number behind it where the path has several texts. */
  readonly fieldName: string;
  readonly text: string;
}

/** The field name of the row that says that a put wanted no vector of its item. No path has it. */
export const NOT_INDEXED = "";

/** Returns the texts of a value at some paths. An empty text has no meaning, and gets no vector. */
export function itemTexts(value: unknown, paths: readonly string[]): ItemText[] {
  return [...new Set(paths)].flatMap((path) => {
    const texts = textsAtPath(value, path);
    return texts.flatMap((text, nth) => {
      const fieldName = texts.length > 1 ? `${path}.${nth}` : path;
      return text.trim() === "" ? [] : [{ fieldName, text: toStorable(text) }];
    });
  });
}

/**
 * Returns the paths that the vectors of an item were made of, since nothing else tells which paths a put has chosen.
 *
 * @param fieldNames - The names of its vectors.
 */
export function pathsOfFields(value: unknown, fieldNames: readonly string[]): string[] {
  const paths = fieldNames.flatMap((name) => {
    if (name === NOT_INDEXED) return [];
    const numbered = /^(.+)\.\d+$/s.exec(name)?.[1];
    return numbered !== undefined && textsAtPath(value, name).length === 0 ? [numbered] : [name];
  });
  return [...new Set(paths)];
}

// A model can't read it, and the hash of a lone surrogate would be that of another text.
function toStorable(text: string): string {
  return text.toWellFormed();
}
