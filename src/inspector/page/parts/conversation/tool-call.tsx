import type { ToolCallView } from "../../../api/checkpoints.js";
import { MessageBody } from "./message-body.js";
import { linkToMessage, type ShownConversation, useMessage } from "./use-message.js";

interface ToolCallProps {
  readonly conversation: ShownConversation;
  readonly call: ToolCallView;
}

/** A call of a tool with its arguments, and its result beside it. */
export function ToolCall({ conversation, call: { id, name, args, isCut, answeredBy } }: ToolCallProps) {
  return (
    <div role="group" class="tool-call" aria-label={`Call of ${name}`}>
      <div>
        <p class="message-head">
          Call of <bdi class="mono">{name}</bdi> {id !== undefined && <bdi class="mono dim">{id}</bdi>}
        </p>
        <pre class="long-text">
          <bdi>{isCut ? args : prettyJson(args)}</bdi>
          {isCut && "…"}
        </pre>
      </div>
      <div>
        {answeredBy === undefined ? (
          <p class="message-head dim">No result yet</p>
        ) : (
          <Result conversation={conversation} position={answeredBy} />
        )}
      </div>
    </div>
  );
}

function Result({
  conversation,
  position,
}: {
  readonly conversation: ShownConversation;
  readonly position: number;
}) {
  const { message } = useMessage(conversation, position);
  if (message === undefined) return <p class="message-head dim">Loading the result…</p>;
  const isError = message.status === "error";
  return (
    <>
      <p class="message-head">
        {isError ? <span class="badge badge-failed">error</span> : "Result"}
        <a href={linkToMessage(conversation, message.path)}>#{position + 1}</a>
      </p>
      <MessageBody conversation={conversation} message={message} />
    </>
  );
}

/** Returns JSON with line breaks. A text that is no JSON, or that would lose something such as the digits of a long number, stays as it is. */
export function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
