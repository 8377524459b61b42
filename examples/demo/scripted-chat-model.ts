import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessage, AIMessageChunk, BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";

/** What the model says next in a conversation. */
export type Script = (conversation: readonly BaseMessage[]) => AIMessage;

/**
 * A chat model without a key or a network. It counts nothing: what it says depends on the conversation alone, as with a
 * real model, so that it goes on where another process stopped.
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

  /** The script knows the tools already. */
  override bindTools(): Runnable<BaseLanguageModelInput, AIMessageChunk> {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const message = this.#script(messages);
    return Promise.resolve({ generations: [{ message, text: message.text }] });
  }
}
