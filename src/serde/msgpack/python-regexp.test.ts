import { describe, expect, test } from "@jest/globals";
import { fromPythonPattern, toPythonPattern } from "./python-types.js";

describe("the Python pattern of a RegExp", () => {
  test.each([/abc/, /^a+[bc]?$|x/u.source === "" ? /x/ : /^a+[bc]?/, /(?:x|y)*z/, /a\.b/, /user-(id)/])(
    "exists where both match the same strings: %s",
    (regexp) => {
      const pattern = toPythonPattern(regexp);
      expect(pattern).toEqual([regexp.source, 32]);
      expect(fromPythonPattern(pattern ?? ["", 0])).toEqual(regexp);
    },
  );

  test("has Python's ASCII flag for the flag i, which folds ASCII only", () => {
    expect(toPythonPattern(/abc/i)).toEqual(["abc", 2 | 256]);
  });

  test.each([/\d+/, /a.b/, /end$/, /\bword/, /é/, /a/g, /a/u, /a/m, /a/s, /[^a]/i, /(?<n>a)/, /a(?=b)/])(
    "does not exist for %s",
    (regexp) => {
      expect(toPythonPattern(regexp)).toBeUndefined();
    },
  );

  test("does not exist for a RegExp whose lastIndex is not 0", () => {
    expect(toPythonPattern(Object.assign(/a/, { lastIndex: 1 }))).toBeUndefined();
  });

  test.each<[string, number, RegExp | undefined]>([
    ["a.b", 32, /a.b/],
    ["a", 32 | 2 | 8 | 16, /a/ims],
    ["(?P<n>a)(?P=n)", 32, /(?<n>a)\k<n>/],
    ["(?i)a", 32, undefined],
    ["\\Aa\\Z", 32, undefined],
    ["a++", 32, undefined],
    ["a", 64, undefined],
    ["(", 32, undefined],
  ])("%s with the flags %i is read as %s", (pattern, flags, regexp) => {
    expect(fromPythonPattern([pattern, flags])).toEqual(regexp);
  });
});
