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
});
