import { useState } from "preact/hooks";
import type { MessageView } from "../../../api/checkpoints.js";
import { Failure } from "../read-state.js";
import { countText, formatCount } from "../number-texts.js";
import { roleName } from "../words.js";
import { MessageContent } from "./message-content.js";
import { ValueTree } from "../value-tree/value-tree.js";
import { ToolCall } from "./tool-call.js";
import {
  linkToMessage,
  linkToPosition,
  type ShownConversation,
  useMessage,
  placeOfValue,
} from "./use-message.js";

interface MessageProps {
  readonly conversation: ShownConversation;
  readonly position: number;
  /** Whether the address names the message. */
  readonly isChosen: boolean;
}

/** A message of a conversation. */
export function Message({ conversation, position, isChosen }: MessageProps) {
  const { message, error } = useMessage(conversation, position);
  const source = useToggle();
  const fields = useToggle();
  if (error !== null) return <Failure error={error} />;
  if (message === undefined) return <p class="message dim">Loading message {position + 1}…</p>;
  const isError = message.status === "error";
  const step = conversation.stepOf?.(message);
  const hasText = message.toolCalls.length > 0 || message.content.some(({ kind }) => kind !== "other");
  return (
    <article
      class={`message message-${message.role} ${isError ? "message-error" : ""}`}
      aria-current={isChosen ? "true" : undefined}
      aria-label={`Message ${position + 1}, ${roleName(message.role)}`}
    >
      <p class="message-head">
        <strong>{roleName(message.role)}</strong>
        {message.name !== undefined && <bdi>{message.name}</bdi>}
        {isError && <span class="badge badge-failed">error</span>}
        {message.role === "other" && <bdi class="dim mono">{message.type}</bdi>}
        {message.shownAt !== undefined && (
          <span class="dim">
            Result of the call in{" "}
            <a href={linkToPosition(conversation, message, message.shownAt)}>#{message.shownAt + 1}</a>
          </span>
        )}
        <span class="message-actions">
          {hasText && message.shownAt === undefined && <Toggle {...source}>Source</Toggle>}
          <Toggle {...fields}>All fields</Toggle>
          {step !== undefined && <a href={step.link}>{step.name}</a>}
          <a href={linkToMessage(conversation, message.path)}>#{position + 1}</a>
        </span>
      </p>
      {message.shownAt === undefined && (
        <>
          <MessageContent {...{ conversation, message, isSource: source.isOn }} />
          {message.toolCalls.map((call, index) => (
            <ToolCall key={call.id ?? index} {...{ conversation, call, isSource: source.isOn }} />
          ))}
          {message.omitted !== undefined && (
            <p class="dim">{countText(message.omitted, "more part")} among all fields</p>
          )}
          <MessageFacts message={message} />
        </>
      )}
      {fields.isOn && <ValueTree label="message" place={placeOfValue(conversation)} from={message.path} />}
    </article>
  );
}

/** Whether something is shown that a button switches. */
function useToggle() {
  const [isOn, setOn] = useState(false);
  return { isOn, onChange: setOn };
}

interface ToggleProps extends ReturnType<typeof useToggle> {
  readonly children: string;
}

function Toggle({ isOn, onChange, children }: ToggleProps) {
  return (
    <button
      type="button"
      class="message-option"
      aria-pressed={isOn}
      onClick={() => {
        onChange(!isOn);
      }}
    >
      {children}
    </button>
  );
}

/** The model that wrote a message, and the tokens that it took. */
function MessageFacts({ message: { model, usage = {} } }: { readonly message: MessageView }) {
  const { input, output, cacheRead, cacheWritten, reasoning } = usage;
  const details = [
    cacheRead && `${formatCount(cacheRead)} from the cache`,
    cacheWritten && `${formatCount(cacheWritten)} into the cache`,
  ].filter(Boolean);
  const tokens = [
    input !== undefined && withDetails(`${countText(input, "token")} in`, details),
    output !== undefined &&
      withDetails(`${formatCount(output)} out`, reasoning ? [`${formatCount(reasoning)} for reasoning`] : []),
  ].filter(Boolean);
  if (model === undefined && tokens.length === 0) return null;
  return (
    <p class="message-facts dim">
      {model !== undefined && <bdi>{model}</bdi>}
      {model !== undefined && tokens.length > 0 && " · "}
      {tokens.join(" · ")}
    </p>
  );
}

function withDetails(text: string, details: readonly unknown[]): string {
  return details.length === 0 ? text : `${text} (${details.join(", ")})`;
}
