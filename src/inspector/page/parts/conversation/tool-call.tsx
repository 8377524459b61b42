import type { ToolCallView } from "../../../api/checkpoints.js";
import { CallArguments } from "./call-arguments.js";
import { MessageContent } from "./message-content.js";
import { linkToMessage, type ShownConversation, useMessage } from "./use-message.js";

interface ToolCallProps {
  readonly conversation: ShownConversation;
  readonly call: ToolCallView;
  readonly isSource: boolean;
}

/** A call of a tool with its arguments, and its result beside it. */
export function ToolCall({ conversation, call, isSource }: ToolCallProps) {
  const { id, name, error, answeredBy } = call;
  const isFailed = error !== undefined;
  return (
    <div role="group" class="tool-call" aria-label={`Call of ${name}`}>
      <div>
        <p class="message-head">
          Call of <bdi class="mono">{name}</bdi> {id !== undefined && <bdi class="mono dim">{id}</bdi>}
          {isFailed && <span class="badge badge-failed">not valid</span>}
        </p>
        {isFailed && (
          <p class="call-error">
            <bdi>{error}</bdi>
          </p>
        )}
        <CallArguments conversation={conversation} call={call} isSource={isSource} />
      </div>
      <div>
        {answeredBy === undefined ? (
          <p class="message-head dim">{isFailed ? "Was not called" : "No result yet"}</p>
        ) : (
          <Result {...{ conversation, isSource }} position={answeredBy} />
        )}
      </div>
    </div>
  );
}

interface ResultProps {
  readonly conversation: ShownConversation;
  readonly isSource: boolean;
  readonly position: number;
}

function Result({ conversation, isSource, position }: ResultProps) {
  const { message } = useMessage(conversation, position);
  if (message === undefined) return <p class="message-head dim">Loading the result…</p>;
  const isError = message.status === "error";
  return (
    <div class={isError ? "failed-result" : ""}>
      <p class="message-head">
        {isError ? <span class="badge badge-failed">error</span> : "Result"}
        <a href={linkToMessage(conversation, message.path)}>#{position + 1}</a>
      </p>
      <MessageContent {...{ conversation, message, isSource }} />
    </div>
  );
}
