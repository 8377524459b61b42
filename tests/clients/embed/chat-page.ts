import type { BaseMessage } from "@langchain/core/messages";
import { useStream } from "@langchain/react";
import { Window } from "happy-dom";
import { createElement, type ReactNode, useEffect } from "react";
import { until } from "../../../test-support/until.js";

interface State {
  readonly messages: BaseMessage[];
  /** The answer to a question, which is given as an input is. */
  readonly decisions?: readonly { readonly type: "approve" | "reject" }[];
}
type Stream = ReturnType<typeof useStream<State>>;

/** A page with a conversation, as React shows it. */
export interface ChatPage extends AsyncDisposable {
  /** Waits until the stream is as it should be, and returns it. */
  see(condition: (stream: Stream) => boolean): Promise<Stream>;
  /** What is on the page. */
  text(): string[];
}

interface ChatProps {
  readonly url: string;
  readonly thread: string;
  readonly onRendered: (stream: Stream) => void;
}

function Chat({ url, thread, onRendered }: ChatProps): ReactNode {
  const stream = useStream<State>({ apiUrl: url, assistantId: "agent", threadId: thread });
  useEffect(() => {
    onRendered(stream);
  });
  return createElement(
    "main",
    null,
    stream.messages.map((message) =>
      createElement("p", { key: message.id }, `${message.type}: ${message.text}`),
    ),
    stream.interrupts.map(({ id, value }) => createElement("form", { key: id }, JSON.stringify(value))),
  );
}

/** Opens the page of a conversation in a document of its own. */
export async function openChatPage(url: string, thread: string): Promise<ChatPage> {
  const window = new Window({ url });
  // React looks for them when it is loaded. Node.js has a navigator of its own from version 21 on.
  const { document, navigator } = window;
  Object.assign(globalThis, { window, document, ...("navigator" in globalThis ? {} : { navigator }) });
  const { createRoot } = await import("react-dom/client");
  const root = createRoot(globalThis.document.body);
  let latest: Stream | undefined;
  const onRendered = (stream: Stream): void => {
    latest = stream;
  };
  root.render(createElement(Chat, { url, thread, onRendered }));
  return {
    async see(condition) {
      await until(() => latest !== undefined && condition(latest));
      if (latest === undefined) throw new Error("React has rendered nothing");
      return latest;
    },
    text: () => Array.from(document.querySelectorAll("p, form"), ({ textContent }) => textContent),
    async [Symbol.asyncDispose]() {
      root.unmount();
      await window.happyDOM.close();
    },
  };
}
