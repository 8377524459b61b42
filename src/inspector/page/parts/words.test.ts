import { expect, it } from "@jest/globals";
import { channelName, isChannelOfEngine, nodeName, roleOfClass } from "./words.js";

it.each([
  ["__start__", "Start"],
  ["model_request", "model"],
  ["HumanInTheLoopMiddleware.after_model", "approval by a person"],
  ["todoListMiddleware.before_agent", "todo list before the agent"],
  ["research.after_hours", "research.after_hours"],
  ["constructor", "constructor"],
])("says the name of the node %s", (node, name) => {
  expect(nodeName(node)).toBe(name);
});

it.each([
  ["__interrupt__", "question", true],
  ["branch:to:model_request", "start of model", true],
  ["join:a+b:c", "join:a+b:c", true],
  ["__root__", "state", false],
  ["plan", "plan", false],
])("says the name of the channel %s, and whether it is LangGraph's own", (channel, name, isOwn) => {
  expect([channelName(channel), isChannelOfEngine(channel)]).toEqual([name, isOwn]);
});

it("says who has written a message of a class", () => {
  expect(["AIMessageChunk", "HumanMessage", "MyMessage", undefined].map(roleOfClass)).toEqual([
    "Assistant",
    "Human",
    undefined,
    undefined,
  ]);
});
