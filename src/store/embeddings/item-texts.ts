import { textsAtPath } from "./text-path.js";

/** A text of an item, which gets a vector of its own. */
export interface ItemText {
  /** The name of the vector, as Python's store names it: the path, with a number behind it where the path has several texts. */
  readonly fieldName: string;
  readonly text: string;
}

/** The field name of the row that says that a put has chosen the paths of its item, perhaps none. No path has it. */
export const CHOSEN = "";

/** The field name of a row that only says that `reembed()` has seen an item without texts. No path has it. */
export const SEEN = ".";

/** Returns the texts of a value at some paths. An empty text gets no vector. */
export function itemTexts(value: unknown, paths: readonly string[]): ItemText[] {
  const found = new Map<string, string>();
  for (const path of paths) {
    const texts = textsAtPath(value, path);
    for (const [nth, text] of texts.entries()) {
      if (text.trim() !== "") found.set(texts.length > 1 ? `${path}.${nth}` : path, text.toWellFormed());
    }
  }
  return [...found].map(([fieldName, text]) => ({ fieldName, text }));
}

/**
 * Returns the paths of the texts of an item, from the names of its vectors: the tables do not store the paths that a put has chosen.
 *
 * @param fieldNames - The names of its vectors.
 */
export function pathsOfFields(value: unknown, fieldNames: readonly string[]): string[] {
  const paths = fieldNames.flatMap((name) => {
    if (name === CHOSEN || name === SEEN) return [];
    const numbered = /^(.+)\.\d+$/s.exec(name)?.[1];
    return numbered !== undefined && textsAtPath(value, name).length === 0 ? [numbered] : [name];
  });
  return [...new Set(paths)];
}
