import { expect, it } from "@jest/globals";
import { append, composeSegments, copiedBytes, type Segment } from "./segments.js";

const segment = (at: number, from: number, length: number): Segment => ({ at, from, length });

it.each<[what: string, newer: Segment[], older: Segment[], composed: Segment[]]>([
  ["one inside of another", [segment(5, 110, 20)], [segment(100, 300, 50)], [segment(5, 310, 20)]],
  ["one around another", [segment(0, 0, 100)], [segment(30, 7, 20)], [segment(30, 7, 20)]],
  ["an overlap of 16 bytes", [segment(0, 0, 36)], [segment(20, 500, 40)], [segment(20, 500, 16)]],
  ["no overlap of 15 bytes", [segment(0, 0, 35)], [segment(20, 500, 40)], []],
  ["none that only touch", [segment(0, 20, 30)], [segment(0, 0, 20), segment(50, 20, 20)], []],
  [
    "several in one",
    [segment(0, 0, 100)],
    [segment(0, 400, 20), segment(40, 500, 20), segment(80, 600, 40)],
    [segment(0, 400, 20), segment(40, 500, 20), segment(80, 600, 20)],
  ],
  [
    "one in several",
    [segment(0, 0, 20), segment(50, 30, 20)],
    [segment(0, 200, 60)],
    [segment(0, 200, 20), segment(50, 230, 20)],
  ],
  [
    "one again of what was split",
    [segment(0, 0, 40)],
    [segment(0, 100, 10), segment(10, 110, 30)],
    [segment(0, 100, 40)],
  ],
])("segments of a base and of its base have in common: %s", (_, newer, older, composed) => {
  expect(composeSegments(newer, older)).toEqual(composed);
});

it.each<[what: string, added: Segment, segments: Segment[]]>([
  ["lengthens the last one that it continues in both values", segment(30, 60, 5), [segment(10, 40, 25)]],
  [
    "stands by itself where it continues only one",
    segment(30, 61, 5),
    [segment(10, 40, 20), segment(30, 61, 5)],
  ],
  [
    "stands by itself where it continues only the other",
    segment(31, 60, 5),
    [segment(10, 40, 20), segment(31, 60, 5)],
  ],
])("a segment %s", (_, added, segments) => {
  const all: Segment[] = [];
  append(all, segment(10, 40, 20));
  append(all, added);
  expect(all).toEqual(segments);
  expect(copiedBytes(all)).toBe(25);
});
