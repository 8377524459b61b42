import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { fromPythonDatetime, toPythonDatetime } from "./python-types.js";

describe("the text of Python's datetime", () => {
  test("represents the same instant as the Date, for every instant that Python can hold", () => {
    const min = new Date("0001-01-01T00:00:00.000Z");
    const max = new Date("9999-12-31T23:59:59.999Z");
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(fromPythonDatetime(toPythonDatetime(date) ?? "")).toEqual(date);
      }),
      runs(100),
    );
    expect([min, max].map(toPythonDatetime)).not.toContain(undefined);
  });

  test.each(["0000-12-31T23:59:59.999Z", "+010000-01-01T00:00:00.000Z", "not a date"])(
    "does not exist for %s",
    (text) => {
      expect(toPythonDatetime(new Date(text))).toBeUndefined();
    },
  );

  test.each([
    ["2024-01-02T03:04:05.123456+05:30", "2024-01-01T21:34:05.123Z"],
    ["2024-01-02T03:04:05-00:30", "2024-01-02T03:34:05.000Z"],
    ["2024-01-02T03:04:05+00:00:30", "2024-01-02T03:03:35.000Z"],
    ["2024-01-02T03:04:05", "2024-01-02T03:04:05.000Z"],
    ["0099-01-01T00:00:00", "0099-01-01T00:00:00.000Z"],
  ])("%s is read as %s", (text, instant) => {
    expect(fromPythonDatetime(text)?.toISOString()).toBe(instant);
  });

  test.each(["", "yesterday", "2024-01-02T03:04:05.1234567890", "2024-1-2"])(
    "%p is not read as a datetime",
    (text) => {
      expect(fromPythonDatetime(text)).toBeUndefined();
    },
  );
});
