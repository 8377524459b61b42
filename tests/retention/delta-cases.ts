import { type AnyRows, IDS } from "./shared-ids.js";

const [FIRST = "", SECOND = "", THIRD = "", FOURTH = ""] = IDS;
const HEADER = { v: 4, run: "red", counts: false, inline: [], parent: null, versions: {} };
const VALUE = { channel: "d", version: "2", base: null, type: "msgpack" };
const WRITE = { id: FIRST, task: "one", channel: "d" };
/** Its head has a version of the delta channel `d` that a write made, and no value. */
const WRITTEN: AnyRows = {
  checkpoints: [
    { ...HEADER, id: FIRST },
    { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "2" } },
  ],
  blobs: [
    { ...VALUE, channel: "x" },
    { ...VALUE, version: "1" },
  ],
  writes: [WRITE],
};
const STORED: AnyRows = { ...WRITTEN, blobs: [VALUE], writes: [] };
/** Its head has no value of a channel that had one, and no write made that version. */
const EMPTIED: AnyRows = {
  checkpoints: [
    { ...HEADER, id: FIRST, versions: { d: "1" } },
    { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "2" } },
  ],
  blobs: [{ ...VALUE, version: "1" }],
  writes: [
    { ...WRITE, channel: "x" },
    { ...WRITE, id: SECOND },
  ],
};
/** One head has the value that a write beside its parent made. The other has none, as in {@link EMPTIED}. */
const WITH_TWO_HEADS: AnyRows = {
  checkpoints: [
    { ...HEADER, id: FIRST, versions: { d: "1" } },
    { ...HEADER, id: SECOND, versions: { d: "1" } },
    { ...HEADER, id: THIRD, parent: FIRST, versions: { d: "2" } },
    { ...HEADER, id: FOURTH, parent: SECOND, versions: { d: "3" } },
  ],
  blobs: ["1", "2"].map((version) => ({ ...VALUE, version })),
  writes: [WRITE],
};

/** A namespace beside others with the same ids, and how many checkpoints a prune of all of them deletes. */
export const DELTA_CASES: Record<
  string,
  { rows: AnyRows; others: AnyRows; keepLast?: number; deleted: number }
> = {
  "only its writes tell of a delta channel": { rows: WRITTEN, others: STORED, deleted: 2 },
  "a row says that it has no value": {
    rows: { ...WRITTEN, blobs: [{ ...VALUE, type: "empty" }] },
    others: STORED,
    deleted: 2,
  },
  "the header of an ancestor has the value": {
    rows: {
      checkpoints: [
        { ...HEADER, id: FIRST, versions: { d: "1" }, inline: ["d"] },
        { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "1" } },
      ],
      ...{ blobs: [], writes: [] },
    },
    others: STORED,
    deleted: 2,
  },
  "other writes don't make a delta channel": { rows: EMPTIED, others: WRITTEN, deleted: 1 },
  "a kept checkpoint has the value": { rows: WITH_TWO_HEADS, others: WRITTEN, keepLast: 2, deleted: 2 },
  "a kept checkpoint has the value in its header": {
    rows: {
      ...WITH_TWO_HEADS,
      checkpoints: WITH_TWO_HEADS.checkpoints.map((each) =>
        each.id === THIRD ? { ...each, inline: ["d"] } : each,
      ),
      blobs: [{ ...VALUE, version: "1" }],
    },
    others: WRITTEN,
    keepLast: 2,
    deleted: 2,
  },
  "only a checkpoint whose parent stays has no value": {
    rows: {
      checkpoints: [
        { ...HEADER, id: FIRST, versions: { d: "1" } },
        { ...HEADER, id: SECOND, parent: FIRST, versions: { d: "3" } },
        { ...HEADER, id: THIRD, versions: { d: "1" } },
        { ...HEADER, id: FOURTH, parent: THIRD, versions: { d: "2" } },
      ],
      blobs: [{ ...VALUE, version: "1" }],
      writes: [{ ...WRITE, id: THIRD }],
    },
    others: WRITTEN,
    keepLast: 3,
    deleted: 1,
  },
};
