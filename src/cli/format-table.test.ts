import { describe, expect, it } from "@jest/globals";
import { formatTable } from "./format-table.js";

describe("a table", () => {
  it("has columns as wide as their widest cell", () => {
    expect(
      formatTable([
        ["STEP", "STATE"],
        ["0001", "applied"],
        ["0002-longer", "pending"],
      ]),
    ).toBe("STEP         STATE\n0001         applied\n0002-longer  pending");
  });

  it("gives colours no room", () => {
    const green = "\u001b[32mok\u001b[39m";
    expect(
      formatTable([
        [green, "x"],
        ["ok", "x"],
      ]),
    ).toBe(`${green}  x\nok  x`);
  });

  it("gives wide characters the room that they take", () => {
    expect(
      formatTable([
        ["日本", "x"],
        ["1234", "x"],
      ]),
    ).toBe("日本  x\n1234  x");
  });

  it("writes numbers to the right, and cuts nothing", () => {
    const id = "1f1e60ce-9997-63a0-8003-4c2086f9c2c6".repeat(10);
    const rows = [
      ["N", "ID"],
      ["1,000", id],
    ];
    expect(formatTable(rows, { numbers: [0] })).toBe(`    N  ID\n1,000  ${id}`);
  });
});
