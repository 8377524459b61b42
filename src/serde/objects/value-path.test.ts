import { expect, test } from "@jest/globals";
import { formatPath, mapKeyStep, mapValueStep, setMemberStep } from "./value-path.js";

test.each([
  [[], ""],
  [["messages", 3, "kwargs", "onDone"], "messages[3].kwargs.onDone"],
  [["odd key", "x"], '["odd key"].x'],
  [[0, "é", "1"], '[0].é["1"]'],
  [["map", mapValueStep("k"), setMemberStep(2)], 'map.get("k").values()[2]'],
  [[mapValueStep(1n), mapKeyStep(0), mapValueStep({})], "get(1n).keys()[0].get(…)"],
])("formatPath writes %j in the notation of JavaScript", (path, text) => {
  expect(formatPath(path)).toBe(text);
});

test("formatPath leaves out the middle of a very long path", () => {
  expect(formatPath(Array.from({ length: 5000 }, () => "a")).length).toBeLessThan(250);
});
