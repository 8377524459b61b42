import type { BaseMessage } from "@langchain/core/messages";

// What the package itself goes by, which is not loaded for it here, and of which an application may have several copies.
const MESSAGE = Symbol.for("langchain.message");

/** Whether a value is a message of LangChain, of whatever copy of the package. */
export function isMessage(value: object): value is BaseMessage {
  return MESSAGE in value && value[MESSAGE] === true;
}
