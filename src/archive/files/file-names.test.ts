import { posix, win32 } from "node:path";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { lostFiles, newFileName, prefixOf, timeInName } from "./file-names.js";

const threadIds = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.constantFrom("CON", "nul.txt", "..", "a/b", String.raw`C:\a`, "a:b", "trailing.", "trailing "),
);
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

it("the file of any thread has a name that Linux, macOS and Windows allow, and that stays in its folder", () => {
  fc.assert(
    fc.property(threadIds, fc.boolean(), (threadId, isOfOlder) => {
      const name = newFileName({ threadId, extension: "zst", previous: undefined, isOfOlder });
      for (const path of [posix, win32]) expect(path.basename(path.join("archive", name))).toBe(name);
      expect(name).toMatch(/^[\w%~.-]+[^.]$/);
      expect(name).not.toMatch(RESERVED);
      expect(name.length).toBeLessThan(240);
      expect(name.startsWith(prefixOf(threadId))).toBe(true);
    }),
    runs(200),
  );
});

it.each([
  ["a name of 140 characters", "a".repeat(140), `${"a".repeat(140)}~`],
  [
    "a longer name",
    "a".repeat(141),
    "%sha256-6e816ec42ddb7baf8dc674b626a858bbffaf76b6f43c4b7ac94c82c9588c963b~",
  ],
  ["bytes that are no letters", "é.", "%C3%A9%2E~"],
  ["many threads", undefined, "~run~"],
])("the names of the files of %s begin with its id, or with its hash", (_of, threadId, prefix) => {
  expect(prefixOf(threadId)).toBe(prefix);
});

const MAY = "b~20260501T000000000Z-00000000aa.ndjson.gz";
const JUNE = "~run~20260601T000000000Z-00000000bb-00000000cc.ndjson.zst";
const JULY = "a~20260701T000000000Z-00000000dd-00000000aa.old.ndjson.zst";

it("files sort by time, whatever the names before it", () => {
  expect([JULY, MAY, JUNE].map(timeInName).sort()).toEqual([MAY, JUNE, JULY].map(timeInName));
  expect(timeInName(MAY)).toBe("20260501T000000000Z-00000000aa.ndjson.gz");
});

it("a file is lost that another one names as the one before it", () => {
  expect(lostFiles([MAY, JUNE, JUNE, JULY])).toEqual(["~run~*-00000000cc*"]);
  expect(lostFiles([JULY])).toEqual(["a~*-00000000aa*"]);
  expect(lostFiles([MAY])).toEqual([]);
});
