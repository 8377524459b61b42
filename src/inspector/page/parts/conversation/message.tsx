import type { MessageView } from "../../../api/checkpoints.js";
import { Failure } from "../failure.js";
import { MessageBody, type MessageBodyProps } from "./message-body.js";
import { ToolCall } from "./tool-call.js";
import { linkToMessage, type ShownConversation, useMessage } from "./use-message.js";

const ROLES: Readonly<Record<MessageView["role"], string>> = {
  human: "Human",
  ai: "AI",
  system: "System",
  tool: "Tool",
  remove: "Removal",
  other: "Other",
};

interface MessageProps {
  readonly conversation: ShownConversation;
  readonly position: number;
  /** Whether the address names the message. */
  readonly isChosen: boolean;
}

/** A message of a conversation. */
export function Message({ conversation, position, isChosen }: MessageProps) {
  const { message, error } = useMessage(conversation, position);
  if (error !== null) return <Failure error={error} />;
  if (message === undefined) return <p class="message dim">Loading message {position + 1}…</p>;
  const isError = message.status === "error";
  return (
    <article
      class={`message message-${message.role} ${isError ? "message-error" : ""}`}
      aria-current={isChosen ? "true" : undefined}
      aria-label={`Message ${position + 1}, ${ROLES[message.role]}`}
    >
      <p class="message-head">
        <strong>{ROLES[message.role]}</strong>
        {message.name !== undefined && <bdi class="mono">{message.name}</bdi>}
        {isError && <span class="badge badge-failed">error</span>}
        <span class="dim mono">{message.type}</span>
        <a class="message-link" href={linkToMessage(conversation, message.path)}>
          #{position + 1}
        </a>
      </p>
      {message.role === "tool" ? (
        <ToolResult conversation={conversation} message={message} />
      ) : (
        <MessageBody conversation={conversation} message={message} />
      )}
      {message.toolCalls.map((call, index) => (
        <ToolCall key={call.id ?? index} conversation={conversation} call={call} />
      ))}
    </article>
  );
}

/** The call shows its result as well, so that the message is brief until somebody asks. */
function ToolResult({ conversation, message }: MessageBodyProps) {
  const start = message.text.slice(0, 80).split("\n", 1)[0] ?? "";
  return (
    <details>
      <summary>
        Result{" "}
        {message.toolCallId !== undefined && (
          <>
            of <bdi class="mono">{message.toolCallId}</bdi>
          </>
        )}
        : <bdi>{start}</bdi>
        {start.length < message.text.length && "…"}
      </summary>
      <MessageBody conversation={conversation} message={message} />
    </details>
  );
}
