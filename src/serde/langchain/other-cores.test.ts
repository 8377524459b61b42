import { createRequire } from "node:module";
import { describe, expect, test } from "@jest/globals";
import type * as documents from "@langchain/core/documents";
import type * as messages from "@langchain/core/messages";
import type * as prompts from "@langchain/core/prompt_values";
import { JsonSerializer } from "../json/json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import { LANGCHAIN_CLASSES } from "./classes.js";

type Core = typeof messages & typeof documents & typeof prompts;

const require = createRequire(import.meta.url);
const MODULES = ["messages", "documents", "prompt_values"];

const required = load("@langchain/core");
const older = load("langchain-core-oldest");
const bundled = await importCore("langchain-core-oldest");
// A bundler that minifies names does the same.
for (const name of Object.keys(LANGCHAIN_CLASSES))
  Object.defineProperty(Reflect.get(bundled, name), "name", { value: "e" });

function load(name: string): Core {
  return Object.assign({}, ...MODULES.map((module) => require(`${name}/${module}`) as object)) as Core;
}

async function importCore(name: string): Promise<Core> {
  const core = {};
  for (const module of MODULES) Object.assign(core, (await import(`${name}/${module}`)) as object);
  return core as Core;
}

/** The classes without an id of their own. Only the name of its class identifies an object. */
const NAMELESS = ["Document", "RemoveMessage"];

/** An object of each class on the list. */
function objectsOf(core: Core): Record<keyof typeof LANGCHAIN_CLASSES, object> {
  const fields = { content: "hi", id: "1", additional_kwargs: { at: [1] } };
  const call = { name: "search", args: {}, id: "c" };
  const chunk = { name: "search", args: "{}", index: 0 };
  return {
    AIMessage: new core.AIMessage({ ...fields, tool_calls: [call] }),
    AIMessageChunk: new core.AIMessageChunk({ ...fields, tool_call_chunks: [chunk] }),
    ChatMessage: new core.ChatMessage({ ...fields, role: "critic" }),
    ChatMessageChunk: new core.ChatMessageChunk({ ...fields, role: "critic" }),
    ChatPromptValue: new core.ChatPromptValue([new core.HumanMessage(fields)]),
    Document: new core.Document({ pageContent: "text", metadata: { page: 1 }, id: "1" }),
    FunctionMessage: new core.FunctionMessage({ ...fields, name: "search" }),
    FunctionMessageChunk: new core.FunctionMessageChunk({ ...fields, name: "search" }),
    HumanMessage: new core.HumanMessage(fields),
    HumanMessageChunk: new core.HumanMessageChunk(fields),
    ImagePromptValue: new core.ImagePromptValue({ url: "https://example.org/" }),
    RemoveMessage: new core.RemoveMessage({ id: "1" }),
    StringPromptValue: new core.StringPromptValue("hi"),
    SystemMessage: new core.SystemMessage(fields),
    SystemMessageChunk: new core.SystemMessageChunk(fields),
    ToolMessage: new core.ToolMessage({ ...fields, tool_call_id: "c" }),
    ToolMessageChunk: new core.ToolMessageChunk({ ...fields, tool_call_id: "c" }),
  };
}

describe.each<[string, Core]>([
  ["the copy that require loads", required],
  ["another version", older],
  ["another version with minified class names", bundled],
])("an object of %s of @langchain/core is read as one of this copy", (_copy, core) => {
  const isRecognized = (name: string): boolean => core !== bundled || !NAMELESS.includes(name);

  test.each(Object.entries(objectsOf(core)).filter(([name]) => isRecognized(name)))(
    "%s",
    async (name, value) => {
      for (const serializer of [new MsgpackSerializer(), new JsonSerializer()]) {
        const read = await serializer.loadsTyped(...(await serializer.dumpsTyped(value)));
        expect(Object.getPrototypeOf(read)).toBe(
          Reflect.get(Reflect.get(LANGCHAIN_CLASSES, name), "prototype"),
        );
        expect({ ...(read as object) }).toEqual({ ...value });
      }
    },
  );
});
