import type { VersionRow } from "./queries/select-versions.js";

/** For each whole value that splices are made of, the number of rows of the longest chain above it. */
export function chainHeights(versions: readonly Pick<VersionRow, "version" | "base">[]): Map<string, number> {
  const baseOf = new Map(versions.map(({ version, base }) => [version, base]));
  const heights = new Map<string, number>();
  for (const { version, base } of versions) {
    let height = 0;
    let root = version;
    // On a cycle, which only damage can cause, no value is whole.
    for (let next = base; next !== null && height <= versions.length; next = baseOf.get(next) ?? null) {
      root = next;
      height++;
    }
    heights.set(root, Math.max(heights.get(root) ?? 0, height));
  }
  return heights;
}
