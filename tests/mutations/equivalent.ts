import { readFileSync } from "node:fs";
import type { Mutation } from "./mutators.js";

interface Equivalent extends Mutation {
  readonly reason: string;
}

/** The mutations that change nothing that anyone can see. */
export const EQUIVALENT = JSON.parse(
  readFileSync(new URL("equivalent.json", import.meta.url), "utf8"),
) as readonly Equivalent[];

/** Whether a mutation changes nothing that anyone can see. Such a mutation isn't tried. */
export function isEquivalent({ file, change }: Mutation): boolean {
  return EQUIVALENT.some((known) => known.file === file && known.change === change);
}
