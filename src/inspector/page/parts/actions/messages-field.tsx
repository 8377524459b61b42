import { useState } from "preact/hooks";
import { isObjectOfJson, typedJson, typedObject } from "../json-text.js";
import { countText } from "../number-texts.js";
import { typed } from "../typed-text.js";
import { roleName } from "../words.js";
import { JsonField } from "./fields.js";

/** How many of the newest messages are shown as texts. */
const SHOWN = 20;

type Fields = Readonly<Record<string, unknown>>;

/** A message whose content is a text. */
interface TextMessage extends Fields {
  readonly role: string;
  readonly content: string;
}

/** Reads JSON as messages with texts. Returns `undefined` for anything else. */
export function textMessagesIn(json: string): readonly TextMessage[] | undefined {
  const { value } = typedJson(json);
  return Array.isArray(value) && value.length > 0 && value.every(isTextMessage) ? value : undefined;
}

function isTextMessage(value: unknown): value is TextMessage {
  return isObjectOfJson(value) && typeof value.role === "string" && typeof value.content === "string";
}

interface MessagesFieldProps {
  readonly messages: readonly TextMessage[];
  readonly onChange: (json: string) => void;
}

/** Asks for the texts of messages and the arguments of calls, so that nobody has to look for them in JSON. All else of a message stays. */
export function MessagesField({ messages, onChange }: MessagesFieldProps) {
  const first = Math.max(0, messages.length - SHOWN);
  return (
    <div class="message-texts">
      {first > 0 && <p class="dim">{countText(first, "earlier message")}: edit them as JSON.</p>}
      {messages.slice(first).map((message, index) => (
        <MessageFields
          key={first + index}
          {...{ message }}
          number={first + index + 1}
          onChange={(changed) => {
            onChange(JSON.stringify(messages.with(first + index, changed), null, 2));
          }}
        />
      ))}
    </div>
  );
}

interface MessageFieldsProps {
  readonly message: TextMessage;
  readonly number: number;
  readonly onChange: (message: TextMessage) => void;
}

function MessageFields({ message, number, onChange }: MessageFieldsProps) {
  const { role, name, content, tool_calls: given } = message;
  const calls: readonly unknown[] = Array.isArray(given) ? given : [];
  return (
    <>
      <label class="action-field">
        <span>
          {number}. {roleName(role)} {typeof name === "string" && <bdi class="mono">{name}</bdi>}
        </span>
        <textarea
          rows={Math.min(6, Math.max(1, content.split("\n").length, Math.ceil(content.length / 80)))}
          value={content}
          onInput={typed((text) => {
            onChange({ ...message, content: text });
          })}
        />
      </label>
      {calls.map(
        (call, index) =>
          isObjectOfJson(call) &&
          isObjectOfJson(call.args) && (
            <ArgsField
              key={index}
              name={String(call.name)}
              args={call.args}
              onChange={(args) => {
                onChange({ ...message, tool_calls: calls.with(index, { ...call, args }) });
              }}
            />
          ),
      )}
    </>
  );
}

interface ArgsFieldProps {
  /** The name of the tool. */
  readonly name: string;
  readonly args: Fields;
  readonly onChange: (args: Fields) => void;
}

/** Asks for the arguments of a call of a tool. */
function ArgsField({ name, args, onChange }: ArgsFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(args, null, 2));
  const label = (
    <>
      Call of <bdi class="mono">{name}</bdi>, arguments as JSON
    </>
  );
  return (
    <JsonField
      {...{ label, text }}
      problem={typedObject(text).problem}
      onChange={(changed) => {
        setText(changed);
        const { value } = typedObject(changed);
        if (value !== undefined) onChange(value);
      }}
    />
  );
}
