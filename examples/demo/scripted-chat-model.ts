import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";

/** Returns the model's next message in a conversation. */
export type Script = (conversation: readonly BaseMessage[]) => AIMessage;

/**
 * A chat model without an API key or a network. Like a real model it keeps no state: its messages depend on the conversation alone,
 * so it can continue where another process stopped.
 */
export class ScriptedChatModel extends BaseChatModel {
  readonly #script: Script;

  constructor(script: Script) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  /** The script already contains the tool calls. */
  override bindTools(): Runnable<BaseLanguageModelInput, AIMessageChunk> {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#script(messages);
    return Promise.resolve({ generations: [{ message, text: message.text }] });
  }
}
