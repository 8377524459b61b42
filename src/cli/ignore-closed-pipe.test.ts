import { expect, it } from "@jest/globals";
import { ignoreClosedPipe } from "./ignore-closed-pipe.js";

it("lets the reader of the output go", () => {
  expect(() => {
    ignoreClosedPipe(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  }).not.toThrow();
});

it("does not hide that the output could not be written", () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  expect(() => {
    ignoreClosedPipe(full);
  }).toThrow(full);
});
