import type { Checkpoint, Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import type { HITLRequest, HITLResponse } from "langchain";
import { Approval } from "./approval.js";
import { Composer } from "./composer.js";
import { MessageView } from "./message.js";
import { client } from "./server.js";

/** As many checkpoints of a conversation are read: a turn has some six, on each branch. */
const HISTORY = 300;

interface Props {
  readonly threadId: string | null;
  readonly title: string;
  readonly onThreadId: (id: string) => void;
  /** Called when a run has begun or ended. */
  readonly onChange: () => void;
  /** Called when everything is to be read again. */
  readonly onReload: () => void;
}

/** One conversation: its messages, what it waits for, and the field for the next message. */
export function ConversationView({ threadId, title, onThreadId, onChange, onReload }: Props) {
  const stream = useStream<{ messages: Message[] }, { InterruptType: HITLRequest }>({
    client,
    assistantId: "assistant",
    threadId,
    onThreadId,
    fetchStateHistory: { limit: HISTORY },
    // A step has ended, so there may be a title or something to remember.
    onUpdateEvent: onChange,
    onFinish: onChange,
  });
  const { interrupts, isLoading, messages } = stream;
  const request = isLoading ? undefined : (interrupts[0]?.value ?? undefined);
  // A run that has ended by itself has no next node. One that waits has a question.
  const isStopped = !isLoading && request === undefined && (stream.history.at(-1)?.next.length ?? 0) > 0;

  /** Sends a message after the first `count` ones of those that are shown. The checkpoint is where they end, if that is not the newest. */
  const say = (text: string, count = messages.length, checkpoint?: Checkpoint): void => {
    const message: Message = { type: "human", id: crypto.randomUUID(), content: text };
    void stream.submit(
      { messages: [message] },
      {
        ...(checkpoint !== undefined && { checkpoint }),
        optimisticValues: { messages: [...messages.slice(0, count), message] },
      },
    );
  };
  const answer = (resume: HITLResponse): void => {
    void stream.submit(undefined, { command: { resume } });
  };
  const viewOf = (message: Message, index: number) => {
    const { branch, branchOptions, firstSeenState } = stream.getMessagesMetadata(message, index) ?? {};
    const before = firstSeenState?.parent_checkpoint;
    return (
      <MessageView
        key={message.id ?? index}
        message={message}
        versions={
          branch !== undefined && branchOptions !== undefined
            ? { branch, branches: branchOptions }
            : undefined
        }
        onShow={stream.setBranch}
        onEdit={
          isLoading || !before
            ? undefined
            : (text) => {
                say(text, index, before);
              }
        }
      />
    );
  };

  return (
    <section className="conversation" aria-label="Conversation">
      <header>
        <a className="back" href="#">
          ‹ Conversations
        </a>
        <h1>{title}</h1>
      </header>
      <div className="messages">
        <div role="log" aria-label="Messages" aria-busy={isLoading}>
          {stream.isThreadLoading && <p className="note">Loading…</p>}
          {threadId === null && messages.length === 0 && (
            <p className="note">Say something, such as “My name is Ada” or “Refund order 17”.</p>
          )}
          {messages.map(viewOf)}
          {request !== undefined && <Approval request={request} onAnswer={answer} />}
        </div>
      </div>
      {stream.error !== undefined && !isLoading && (
        <p className="notice" role="alert">
          {describe(stream.error)}
          {!isStopped && <button onClick={onReload}>Load again</button>}
        </p>
      )}
      {isStopped && (
        <p className="notice" role="status">
          This run has stopped before its end.
          <button onClick={() => void stream.submit(undefined)}>Go on</button>
        </p>
      )}
      <Composer
        isRunning={isLoading}
        closed={request !== undefined ? "Decide above first" : isStopped ? "Go on first" : undefined}
        onSay={(text) => {
          say(text);
        }}
        onStop={() => void stream.stop().then(onReload)}
      />
    </section>
  );
}

function describe(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : "The run has failed.";
}
