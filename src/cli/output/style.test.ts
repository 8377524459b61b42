import { describe, expect, it } from "@jest/globals";
import { styleFor } from "./style.js";

const stream = (isTTY: boolean | undefined) => ({ write: () => undefined, isTTY });
const GREEN = "\u001b[32mok\u001b[39m";

describe("colours", () => {
  it("are shown on a terminal", () => {
    expect(styleFor(stream(true), {}).good("ok")).toBe(GREEN);
    expect(styleFor(stream(true), { NO_COLOR: "" }).good("ok")).toBe(GREEN);
  });

  it.each([
    ["a pipe or a file", undefined, {}],
    ["a stream that says it is no terminal", false, {}],
    ["whoever sets NO_COLOR", true, { NO_COLOR: "1" }],
    ["a terminal that can't", true, { TERM: "dumb" }],
  ])("are spared %s", (_who, isTTY, env) => {
    const style = styleFor(stream(isTTY), env);
    expect([style.good("a"), style.warning("b"), style.bad("c")]).toEqual(["a", "b", "c"]);
  });
});
