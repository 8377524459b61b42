import type { Route } from "../routes/route.js";

/** The pages that the navigation links to, by their names. */
export const PAGE_NAMES = {
  threads: "Threads",
  storage: "Storage",
  memory: "Store",
  cache: "Cache",
  health: "Health",
} as const;

/** Returns the title of the document for a route. */
export function pageTitle({ page, subjects }: Route): string {
  const name = subjects.length === 0 ? titleOf(page) : subjects.map(isolated).join(" · ");
  return name === undefined ? "Inspector" : `${name} – Inspector`;
}

/** Keeps the direction of a text from the database to itself, where no element can. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

function titleOf(page: string): string | undefined {
  return Object.entries(PAGE_NAMES).find(([name]) => name === page)?.[1];
}
