import { expect, it } from "@jest/globals";
import type { BlobLine, CheckpointLine, RowLine, ThreadLine, WriteLine } from "./backup-line.js";
import { LatestRows } from "./selected-rows.js";

const blob = (thread_id: string, version: string, checkpoint_ns = ""): BlobLine => ({
  ...{ table: "checkpoint_blobs", thread_id, checkpoint_ns, channel: "a", version, type: null, blob: null },
});
const write = (checkpoint_id: string, task_id: string, idx: number): WriteLine => ({
  ...{ table: "checkpoint_writes", thread_id: "t", checkpoint_ns: "", checkpoint_id, task_id, idx },
  ...{ task_path: null, channel: "a", type: null, blob: null },
});
const checkpoint = (thread_id: string, checkpoint_id: string): CheckpointLine => ({
  ...{ table: "checkpoints", thread_id, checkpoint_ns: "", checkpoint_id, parent_checkpoint_id: null },
  ...{ type: null, checkpoint: null, metadata: null },
});
const pieced = (version: string): BlobLine => {
  const { blob: _, ...columns } = { ...blob("t", version), blob: null };
  return { ...columns, bytes: 3 };
};
const end = (thread: string): ThreadLine => ({ thread, checkpoints: 0, writes: 0, blobs: 0 });
const PIECE = { piece: "AAAA" };
const CANCELLED = { cancelled: true } as const;

async function* asStream(lines: readonly RowLine[]): AsyncGenerator<RowLine> {
  for (const line of lines) yield await Promise.resolve(line);
}

/** The lines that are left of each backup; the latest comes first. */
async function leftOf(...backups: RowLine[][]): Promise<RowLine[][]> {
  const counts = new Map<string, number>();
  for (const lines of backups)
    for (const line of lines)
      if ("thread" in line) counts.set(line.thread, (counts.get(line.thread) ?? 0) + 1);
  const latest = new LatestRows(counts);
  const left: RowLine[][] = [];
  for (const lines of backups) {
    const found: RowLine[] = [];
    for await (const line of latest.of(asStream(lines))) found.push(line);
    left.push(found);
  }
  return left;
}

it("leaves out a row that a later backup has, and keeps the line that ends its thread", async () => {
  const later = [blob("t", "1"), write("1", "x", 0), checkpoint("t", "1"), end("t")];
  const rows = [
    blob("t", "2"),
    blob("t", "1", "sub"),
    write("1", "x", 1),
    write("1", "y", 0),
    write("2", "x", 0),
  ];
  const earlier = [...rows, checkpoint("t", "2"), checkpoint("t", "1"), end("t")];
  expect(await leftOf(later, earlier, earlier)).toEqual([
    later,
    [...rows, checkpoint("t", "2"), end("t")],
    [end("t")],
  ]);
});

it("compares no row with that of another thread", async () => {
  const backup = (thread: string) => [blob(thread, "1"), checkpoint(thread, "1"), end(thread)];
  const all = [...backup("t"), ...backup("u")];
  expect(await leftOf(backup("t"), all)).toEqual([backup("t"), [end("t"), ...backup("u")]]);
  expect(await leftOf(all, all)).toEqual([all, [end("t"), end("u")]]);
});

it("leaves out the pieces of a row, and the line that withdraws it, with the row", async () => {
  const later = [pieced("1"), PIECE, end("t")];
  const earlier = [pieced("1"), PIECE, CANCELLED, pieced("2"), PIECE, end("t")];
  expect(await leftOf(later, earlier)).toEqual([later, [pieced("2"), PIECE, end("t")]]);
});

it("takes a row from an earlier backup where the later one has withdrawn it", async () => {
  const later = [blob("t", "1"), pieced("2"), PIECE, CANCELLED, end("t")];
  const earlier = [pieced("2"), PIECE, blob("t", "1"), end("t")];
  expect(await leftOf(later, earlier)).toEqual([later, [pieced("2"), PIECE, end("t")]]);
});
