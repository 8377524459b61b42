import { isObjectOfJson, typedJson } from "../json-text.js";
import { countText } from "../number-texts.js";
import { typed } from "../typed-text.js";
import { roleName } from "../words.js";

/** How many of the newest messages are shown as texts. */
const SHOWN = 20;

/** A message whose content is a text. */
interface TextMessage {
  readonly role: string;
  readonly name?: unknown;
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

/** Asks for the texts of messages, so that nobody has to look for them in JSON. All else of a message stays. */
export function MessagesField({ messages, onChange }: MessagesFieldProps) {
  const first = Math.max(0, messages.length - SHOWN);
  return (
    <div class="message-texts">
      {first > 0 && <p class="dim">{countText(first, "earlier message")}: edit them as JSON.</p>}
      {messages.slice(first).map(({ role, name, content }, index) => (
        <label key={index} class="action-field">
          <span>
            {first + index + 1}. {roleName(role)} {typeof name === "string" && <bdi class="mono">{name}</bdi>}
          </span>
          <textarea
            rows={Math.min(6, Math.max(1, content.split("\n").length, Math.ceil(content.length / 80)))}
            value={content}
            onInput={typed((text) => {
              onChange(
                JSON.stringify(
                  messages.with(first + index, { ...messages[first + index], role, content: text }),
                  null,
                  2,
                ),
              );
            })}
          />
        </label>
      ))}
    </div>
  );
}
