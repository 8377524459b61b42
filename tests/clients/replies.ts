import { AIMessage } from "@langchain/core/messages";
import { type FakeBuiltModel, fakeModel } from "@langchain/core/testing";

/** A model that gives these replies, one after another. */
export function replying(...replies: readonly AIMessage[]): FakeBuiltModel {
  return replies.reduce((model, reply) => model.respond(reply), fakeModel());
}

/** A reply in words. */
export function says(text: string): AIMessage {
  return new AIMessage(text);
}

/** A reply that calls a tool. */
export function calls(name: string, args: Record<string, unknown> = {}): AIMessage {
  return callsAll([name, args]);
}

/** A reply that calls several tools. */
export function callsAll(
  ...all: readonly (readonly [name: string, args: Record<string, unknown>])[]
): AIMessage {
  const tool_calls = all.map(([name, args], nth) => ({
    ...{ name, args, type: "tool_call" as const },
    id: `${name} ${nth} ${JSON.stringify(args)}`,
  }));
  return new AIMessage({ content: "", tool_calls });
}
