import { posix, win32 } from "node:path";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { newFileName, prefixOf } from "./file-names.js";

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
