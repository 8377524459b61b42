import { describe, expect, it } from "@jest/globals";
import { batchesOfOrphans } from "./delete-orphans.js";

/** The k-th value of a chain is a splice of number k - lowbit(k). */
function chain(length: number, channel = "list") {
  return Array.from({ length }, (_, at) => ({
    channel,
    version: String(at).padStart(4, "0"),
    base: at === 0 ? null : String(at - (at & -at)).padStart(4, "0"),
  }));
}

describe("batches of orphaned values", () => {
  it("have a splice before the value that it needs, or beside it (C13)", () => {
    const orphans = [...chain(40, "a"), ...chain(25, "b")];
    for (const size of [1, 2, 7, 64]) {
      const batches = [...batchesOfOrphans(orphans, size)];
      const batchOf = new Map(
        batches.flatMap((batch, at) => batch.map((row) => [row.channel + row.version, at])),
      );
      expect(batchOf.size).toBe(orphans.length);
      for (const { channel, version, base } of orphans.filter((row) => row.base !== null)) {
        expect(batchOf.get(channel + version)).toBeLessThanOrEqual(batchOf.get(`${channel}${base}`) ?? -1);
      }
    }
  });

  it("are each in the given order, in which rows are locked", () => {
    const orphans = chain(40);
    for (const batch of batchesOfOrphans(orphans, 7)) {
      expect(batch).toEqual(orphans.filter((row) => batch.includes(row)));
    }
  });

  it("don't change the order of whole values", () => {
    const orphans = chain(10).map((row) => ({ ...row, base: null }));
    expect([...batchesOfOrphans(orphans, 4)].flat()).toEqual(orphans);
  });

  it("contain every value of a damaged chain once", () => {
    const row = (version: string, base: string | null) => ({ channel: "a", version, base });
    const orphans = [row("1", "2"), row("2", "1"), row("3", "3"), row("4", "gone"), row("5", "1")];
    const batches = [...batchesOfOrphans(orphans, 2)];
    expect(batches.flat().sort((a, b) => a.version.localeCompare(b.version))).toEqual(orphans);
  });
});
