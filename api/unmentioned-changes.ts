import type { Change } from "./compare-apis.js";
import { mentions } from "./declarations.js";

/**
 * Returns the changes that no new line of the changelog mentions, by the exported name or by the member.
 *
 * @param changes - What differs from the last release.
 * @param before - The changelog of the last release.
 * @param now - The changelog.
 */
export function unmentionedChanges(changes: readonly Change[], before: string, now: string): Change[] {
  const known = new Set(before.split("\n"));
  const added = now
    .split("\n")
    .filter((line) => !known.has(line))
    .join("\n");
  return changes.filter(
    ({ name, member }) =>
      !mentions(added, name) && (member === undefined || !mentions(added, member.replace("static ", ""))),
  );
}
