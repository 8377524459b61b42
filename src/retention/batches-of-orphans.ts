import { rowKey } from "../saver/model/keys.js";
import { chunksOf } from "../saver/model/portions.js";
import type { OrphanedBlobRow } from "./queries/orphaned-blobs.js";

type ChainedValue = Pick<OrphanedBlobRow, "channel" | "version" | "base">;

/**
 * Splits values of a namespace into batches that are deleted one after another. A splice comes in the same batch as the value that
 * it needs, or in an earlier one (C13). Each batch has the order of `orphans`, in which its rows are locked.
 */
export function* batchesOfOrphans<Value extends ChainedValue>(
  orphans: readonly Value[],
  size: number,
): Generator<Value[]> {
  const depths = depthsOf(orphans);
  const depthAt = (position: number) => depths[position] ?? 0;
  const positions = [...orphans.keys()].sort((a, b) => depthAt(b) - depthAt(a) || a - b);
  for (const batch of chunksOf(positions, size)) {
    yield batch.sort((a, b) => a - b).flatMap((position) => orphans[position] ?? []);
  }
}

/** For each value, the length of the chain of splices below it. Values of a cycle, which only damage can cause, have any. */
function depthsOf(orphans: readonly ChainedValue[]): number[] {
  const positionOf = new Map(orphans.map(({ channel, version }, at) => [rowKey(channel, version), at]));
  const depths: (number | undefined)[] = [];
  for (const start of orphans.keys()) {
    const chain = new Set<number>();
    let at: number | undefined = start;
    while (at !== undefined && depths[at] === undefined && !chain.has(at)) {
      chain.add(at);
      const { channel, base }: Partial<ChainedValue> = orphans[at] ?? {};
      at = typeof base === "string" ? positionOf.get(rowKey(channel ?? "", base)) : undefined;
    }
    let depth = at === undefined ? -1 : (depths[at] ?? -1);
    for (const position of [...chain].reverse()) depths[position] = ++depth;
  }
  return depths.map((depth) => depth ?? 0);
}
