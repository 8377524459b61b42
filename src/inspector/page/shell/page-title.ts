import type { Route } from "../routes/route.js";

const NAMES: Readonly<Record<string, string>> = {
  threads: "Threads",
  storage: "Storage",
  memory: "Store",
  cache: "Cache",
  health: "Health",
};

/** Returns the title of the document for a route. */
export function pageTitle({ page, subjects }: Route): string {
  const name = subjects.length === 0 ? NAMES[page] : subjects.map(isolated).join(" · ");
  return name === undefined ? "Inspector" : `${name} – Inspector`;
}

/** Keeps the direction of a text from the database to itself, where no element can. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
