import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import type { CheckpointSaver } from "../../src/index.js";

const State = Annotation.Root({
  bigint: Annotation<bigint>,
  bytes: Annotation<Uint8Array>,
  date: Annotation<Date>,
  list: Annotation<unknown[]>,
  map: Annotation<Map<unknown, unknown>>,
  markup: Annotation<string[]>,
  message: Annotation<HumanMessage>,
  nested: Annotation<Readonly<Record<string, unknown>>>,
  nothing: Annotation<null>,
  number: Annotation<number>,
  set: Annotation<Set<unknown>>,
  text: Annotation<string>,
  truth: Annotation<boolean>,
});

/** A graph whose channels have values of every kind. */
export function createValuesGraph(checkpointer: CheckpointSaver) {
  return new StateGraph(State)
    .addNode("fill", everyKind)
    .addNode("change", ({ number, nested, set }) => ({
      number: number * 2,
      nested: { ...nested, changed: true },
      set: new Set([...set, "late"]),
    }))
    .addEdge(START, "fill")
    .addEdge("fill", "change")
    .compile({ checkpointer });
}

function everyKind(): typeof State.Update {
  return {
    bigint: 12_345_678_901_234_567_890n,
    bytes: Uint8Array.from({ length: 600 }, (_, at) => (at * 7) % 256),
    date: new Date(Date.UTC(2026, 10, 24, 18, 30)),
    list: Array.from({ length: 1_200 }, (_, at) => (at % 100 === 0 ? { hundred: at } : at)),
    map: new Map<unknown, unknown>([
      ["city", "Vienna"],
      [7, ["a number is the key"]],
      ["visited", new Date(Date.UTC(2025, 4, 1))],
    ]),
    markup: [
      "<b>not bold</b>",
      '<script>alert("no")</script>',
      "[a link](javascript:alert(1))",
      "left \u202eright\u202c left",
      "שלום, world",
      "line one\nline two\ttabbed\u0007",
    ],
    message: new HumanMessage({ id: "note", content: "A message outside a conversation" }),
    nested: { level: { one: { two: { three: { four: ["deep", { deeper: true }] } } } }, "a key": "value" },
    nothing: null,
    number: 21.5,
    set: new Set(["red", "green", "blue"]),
    text: Array.from({ length: 400 }, (_, at) => `Line ${at + 1} of a long text.`).join("\n"),
    truth: true,
  };
}
