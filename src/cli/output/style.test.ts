import { describe, expect, it } from "@jest/globals";
import { styleFor } from "./style.js";

const stream = (isTTY: boolean | undefined) => ({ write: () => undefined, isTTY });
const GREEN = "\u001b[32mok\u001b[39m";

describe("styleFor", () => {
  it("returns colours for a terminal", () => {
    expect(styleFor(stream(true), {}).good("ok")).toBe(GREEN);
    expect(styleFor(stream(true), { NO_COLOR: "" }).good("ok")).toBe(GREEN);
  });

  it.each([
    ["a pipe or a file", undefined, {}],
    ["a stream that is not a terminal", false, {}],
    ["a terminal with NO_COLOR set", true, { NO_COLOR: "1" }],
    ["a dumb terminal", true, { TERM: "dumb" }],
  ])("returns plain text for %s", (_stream, isTTY, env) => {
    const style = styleFor(stream(isTTY), env);
    expect([style.good("a"), style.warning("b"), style.bad("c")]).toEqual(["a", "b", "c"]);
  });
});
