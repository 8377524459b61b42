import { createRequire } from "node:module";
import { describe, expect, test } from "@jest/globals";
import * as imported from "@langchain/langgraph";
import { TASKS } from "@langchain/langgraph-checkpoint";
import { firstDifference } from "../../serde/test-support/first-difference.js";
import { JsonSerializer, MsgpackSerializer } from "../../serde/index.js";
import { isArray, isRecord } from "../../serde/objects/inspect-object.js";
import { portableSends } from "./portable-sends.js";

type LangGraph = typeof imported;

const require = createRequire(import.meta.url);

const copies: [string, LangGraph][] = [
  ["the imported copy", imported],
  ["the required copy", require("@langchain/langgraph") as LangGraph],
  ["another version", require("langgraph-oldest") as LangGraph],
];

const serializers = [new MsgpackSerializer(), new JsonSerializer()];

/** A Send with Commands and Sends at every place of its arguments where the engine looks for them. */
function nestedSend({ Command, Send }: LangGraph): imported.Send {
  const inner = new Send("inner", { deep: [new Command({ goto: "leaf" })] }, { timeout: 5 });
  const command = new Command({ goto: inner, update: { log: ["x"] }, graph: "parent" });
  return new Send("outer", { list: [inner, { at: new Date(0) }], command });
}

/** What the engine of one copy makes of the task when it starts it. */
function started(send: unknown, { Send }: LangGraph): object {
  if (send instanceof Send) return send;
  const { node, args } = send as { node: string; args: unknown };
  return new Send(node, args);
}

/** The Sends and Commands of one copy in a value, by the names of their classes. */
function named(value: unknown, { Command, Send }: LangGraph): unknown {
  const inside = (part: unknown): unknown => named(part, { Command, Send } as LangGraph);
  if (isArray(value)) return value.map(inside);
  if (value instanceof Send) return { Send: [value.node, inside(value.args), value.timeout] };
  if (value instanceof Command)
    return { Command: [value.graph, value.update, value.resume, inside(value.goto)] };
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inside(part)]))
    : value;
}

describe.each(copies)("a task that was written by %s", (_writer, writer) => {
  test.each(copies)("is run by %s with Sends and Commands of its own", async (_reader, reader) => {
    const send = nestedSend(writer);
    const expected = named(nestedSend(reader), reader);
    for (const serializer of serializers) {
      const stored = await serializer.dumpsTyped(send);
      const read = portableSends(TASKS, await serializer.loadsTyped(...stored));
      expect(named(started(read, reader), reader)).toEqual(expected);
      expect(portableSends(TASKS, [read])).toEqual([read]);
      // The engine stores a task that it read as a pending write once more, in the next checkpoint.
      const again: unknown = await serializer.loadsTyped(...(await serializer.dumpsTyped(read)));
      expect(named(again, imported)).toEqual(named(nestedSend(imported), imported));
    }
  });
});

test.each<[string, unknown]>([
  ["a task whose arguments hold neither Send nor Command", new imported.Send("n", { list: [new Map()] })],
  ["a literal object in the place of a task", { node: "n", args: [new imported.Send("n", 1)] }],
  ["no task", undefined],
])("%s stays as it is", (_, value) => {
  expect(portableSends(TASKS, value)).toBe(value);
});

test("a Send in another channel stays an instance", async () => {
  const send = nestedSend(imported);
  for (const serializer of serializers) {
    const read = await serializer.loadsTyped(...(await serializer.dumpsTyped([send])));
    expect(portableSends("plans", read)).toBe(read);
    expect(firstDifference(named(read, imported), named([send], imported))).toBeUndefined();
  }
});
