import { describe, expect, it } from "@jest/globals";
import { formatTable } from "./format-table.js";

describe("formatTable", () => {
  it("makes columns as wide as their widest cell", () => {
    expect(
      formatTable([
        ["STEP", "STATE"],
        ["0001", "applied"],
        ["0002-longer", "pending"],
      ]),
    ).toBe("STEP         STATE\n0001         applied\n0002-longer  pending");
  });

  it("does not count colours as width", () => {
    const green = "\u001b[32mok\u001b[39m";
    expect(
      formatTable([
        [green, "x"],
        ["ok", "x"],
      ]),
    ).toBe(`${green}  x\nok  x`);
  });

  it("counts wide characters as two columns", () => {
    expect(
      formatTable([
        ["日本", "x"],
        ["1234", "x"],
      ]),
    ).toBe("日本  x\n1234  x");
  });

  describe("on a narrow terminal", () => {
    const id = "1f1e60ce-9997-63a0-8003-4c2086f9c2c6";
    const rows = [
      ["KIND", "ID", "WHAT", "N"],
      ["error", id, "no value of 日本 is stored at this version", "10"],
      ["notice", "short", "", "2"],
    ];
    const layout = { numbers: [3], text: 2 };

    it("wraps the text column between words", () => {
      expect(formatTable(rows, { ...layout, width: 72 }).split("\n")).toEqual([
        "KIND    ID                                    WHAT                     N",
        `error   ${id}  no value of 日本 is     10`,
        "                                              stored at this version",
        "notice  short                                                          2",
      ]);
    });

    it("lists the cells of each row if wrapping is not enough, and cuts no id", () => {
      expect(formatTable(rows, { ...layout, width: 40 }).split("\n")).toEqual([
        "KIND  error",
        `ID    ${id}`,
        "WHAT  no value of 日本 is stored at this",
        "      version",
        "N     10",
        "",
        "KIND  notice",
        "ID    short",
        "N     2",
      ]);
      expect(formatTable(rows, { width: 20 })).toContain(id);
    });

    it("does not wrap without a terminal", () => {
      expect(formatTable(rows, layout).split("\n")).toHaveLength(3);
    });
  });

  it("right-aligns numbers, and cuts nothing", () => {
    const id = "1f1e60ce-9997-63a0-8003-4c2086f9c2c6".repeat(10);
    const rows = [
      ["N", "ID"],
      ["1,000", id],
    ];
    expect(formatTable(rows, { numbers: [0] })).toBe(`    N  ID\n1,000  ${id}`);
  });
});
