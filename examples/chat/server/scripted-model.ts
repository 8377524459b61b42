import { setTimeout as sleep } from "node:timers/promises";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, AIMessageChunk, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

const HELP =
  "I am a script and no model, so that this chat needs no key. I understand “My name is Ada”, “I prefer trains”, “Refund order 17” " +
  "and “Tell me a story”. Stop the server in the middle of an answer and start it again: nothing is lost, and I go on. " +
  "Edit what you have said, and the old answer stays beside the new one.";
const STORY =
  "Once upon a time a process was killed in the middle of a sentence. Nobody noticed, because each of its steps was in a table. " +
  "Another process read the last row, took up the sentence where it had begun, and told it to its end. " +
  "The people in the conversation had waited for a moment, and the story was the same as before.";

/** A chat model without a key and a network. As a real model does, it streams words, calls tools, and keeps no state. */
export class ScriptedModel extends BaseChatModel {
  readonly #msPerWord: number;

  constructor(msPerWord: number) {
    super({});
    this.#msPerWord = msPerWord;
  }

  override _llmType(): string {
    return "scripted";
  }

  /** The script knows the tools. */
  override bindTools(): this {
    return this;
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    { signal }: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, tool_calls: calls = [] } = reply(messages);
    for (const word of text.match(/\S+\s*/g) ?? []) {
      yield new ChatGenerationChunk({ message: new AIMessageChunk(word), text: word });
      await run?.handleLLMNewToken(word);
      await sleep(this.#msPerWord, undefined, { ...(signal !== undefined && { signal }) });
    }
    const chunks = calls.map(({ id = "", name, args }, index) => ({
      id,
      name,
      args: JSON.stringify(args),
      index,
    }));
    const message = new AIMessageChunk({ content: "", tool_call_chunks: chunks });
    if (chunks.length > 0) yield new ChatGenerationChunk({ message, text: "" });
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = reply(messages);
    return Promise.resolve({ generations: [{ message, text: message.text }] });
  }
}

function reply(messages: BaseMessage[]): AIMessage {
  const last = messages.at(-1);
  if (ToolMessage.isInstance(last)) return new AIMessage(`${last.text}. Is there anything else I can do?`);
  const said = last?.text ?? "";
  const [, name] = /\bmy name is (\w+)/i.exec(said) ?? [];
  if (name !== undefined) return call("remember", { topic: "name", fact: `is called ${name}` });
  const [, liked] = /\bI (?:prefer|like|love) ([^.!?]+)/i.exec(said) ?? [];
  if (liked !== undefined) return call("remember", { topic: "preference", fact: `prefers ${liked}` });
  const [, order] = /\brefund\b.*?(\d+)/i.exec(said) ?? [];
  if (order !== undefined)
    return call(
      "refund",
      { order, euros: 20 + Number(order) },
      `I look for order ${order}. A person has to approve it.`,
    );
  const system = messages[0]?.text ?? "";
  const [, known] = /is called (\w+)/.exec(system) ?? [];
  const [, preference] = /prefers ([^.]+)/.exec(system) ?? [];
  const hello = `Hello${known === undefined ? "" : ` ${known}`}! `;
  const about = preference === undefined ? "" : `I keep in mind that you prefer ${preference}. `;
  return new AIMessage(hello + about + (/\bstory\b/i.test(said) ? STORY : HELP));
}

function call(name: string, args: Record<string, unknown>, text = ""): AIMessage {
  const id = `call_${crypto.randomUUID()}`;
  return new AIMessage({ content: text, tool_calls: [{ type: "tool_call", id, name, args }] });
}
