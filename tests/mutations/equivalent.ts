import { readFileSync } from "node:fs";
import type { Mutation } from "./mutators.js";

interface Equivalent extends Mutation {
  readonly reason: string;
}

/** The mutations that change nothing that anyone can see. */
export const EQUIVALENT = JSON.parse(
  readFileSync(new URL("equivalent.json", import.meta.url), "utf8"),
) as readonly Equivalent[];

/** Returns why a mutation changes nothing that anyone can see, or `undefined`. */
export function reasonOf({ file, change }: Mutation): string | undefined {
  return EQUIVALENT.find((known) => known.file === file && known.change === change)?.reason;
}
