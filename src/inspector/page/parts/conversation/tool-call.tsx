import type { ToolCallView } from "../../../api/checkpoints.js";
import { MessageContent, FoldedValue } from "./message-content.js";
import { linkToMessage, type ShownConversation, useMessage, placeOfValue } from "./use-message.js";
import { exactObject, prettyJson } from "../json-text.js";

interface ToolCallProps {
  readonly conversation: ShownConversation;
  readonly call: ToolCallView;
  readonly isSource: boolean;
}

/** A call of a tool with its arguments, and its result beside it. */
export function ToolCall({ conversation, call, isSource }: ToolCallProps) {
  const { name, error, answeredBy } = call;
  const isFailed = error !== undefined;
  return (
    <div role="group" class="tool-call" aria-label={`Call of ${name}`}>
      <div>
        <p class="message-head">
          <span class="dim">Call of</span> <bdi class="call-name">{name}</bdi>
          {isFailed && <span class="badge badge-failed">not valid</span>}
        </p>
        {isFailed && (
          <p class="call-error">
            <bdi>{error}</bdi>
          </p>
        )}
        {conversation.foldsOpenCalls === true && answeredBy === undefined && !isFailed ? (
          <details>
            <summary>Arguments</summary>
            <CallArguments conversation={conversation} call={call} isSource={isSource} />
          </details>
        ) : (
          <CallArguments conversation={conversation} call={call} isSource={isSource} />
        )}
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
        {isError ? <span class="badge badge-failed">error</span> : <span class="dim">Result</span>}
        <a href={linkToMessage(conversation, message.path)}>#{position + 1}</a>
      </p>
      <MessageContent {...{ conversation, message, isSource }} />
    </div>
  );
}

interface CallArgumentsProps {
  readonly conversation: ShownConversation;
  readonly call: ToolCallView;
  readonly isSource: boolean;
}

/** The arguments of a call by name, so that a text such as a query keeps its line breaks. What is no object is shown as it is. */
function CallArguments({ conversation, call: { args, isCut, path }, isSource }: CallArgumentsProps) {
  const entries = isSource || isCut ? [] : Object.entries(exactObject(args) ?? {});
  if (entries.length > 0) {
    return (
      <dl class="call-arguments">
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi class="mono">{name}</bdi>
            </dt>
            <dd>
              <pre class="long-text">
                <bdi>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</bdi>
              </pre>
            </dd>
          </div>
        ))}
      </dl>
    );
  }
  return (
    <>
      <pre class="long-text">
        <bdi>{isSource ? args : (prettyJson(args) ?? args)}</bdi>
        {isCut && "…"}
      </pre>
      {isCut && path !== undefined && (
        <FoldedValue place={placeOfValue(conversation)} label="arguments" path={path}>
          All arguments
        </FoldedValue>
      )}
    </>
  );
}
