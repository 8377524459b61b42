import { useState } from "preact/hooks";
import type { ContentPart, MessageView } from "../../../api/checkpoints.js";
import { LongText } from "../long-text/long-text.js";
import { ValueTree } from "../value-tree/value-tree.js";
import { type ShownConversation, valueOf } from "./use-message.js";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { read } from "../../server/call-server.js";

/** A message with its conversation. */
export interface MessageBodyProps {
  readonly conversation: ShownConversation;
  readonly message: MessageView;
}

/** The text of a message, and the parts that are no text. */
export function MessageBody({ conversation, message }: MessageBodyProps) {
  const place = valueOf(conversation);
  return (
    <>
      {message.text !== "" && (
        <LongText
          place={place}
          path={() => findContent(place, message.path)}
          value={{ text: message.text, isCut: message.isCut, type: "string" }}
          otherwise={<ValueTree label="message" place={place} from={message.path} />}
        />
      )}
      {message.parts.map((part) => (
        <Part key={part.path.join(".")} conversation={conversation} part={part} />
      ))}
    </>
  );
}

function Part({
  conversation,
  part,
}: {
  readonly conversation: ShownConversation;
  readonly part: ContentPart;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        Part: <bdi>{part.type}</bdi>
      </summary>
      {isOpen && <ValueTree label={part.type} place={valueOf(conversation)} from={part.path} />}
    </details>
  );
}

/** More fields than a message has. */
const MAX_FIELDS = 200;

/** Finds the text of a message: its field `content`, if that is one text. Messages that were not revived have it inside `kwargs`. */
async function findContent(place: ValuePlace, message: ValuePath): Promise<ValuePath | undefined> {
  const { value, children } = await read("value", { place, path: message, offset: 0, limit: MAX_FIELDS });
  if (value.type === "string") return message;
  const content = children.find(({ label }) => label === "content");
  if (content?.value.type === "string") return [...message, content.step];
  const kwargs = children.find(({ label }) => label === "kwargs");
  return content === undefined && kwargs !== undefined
    ? findContent(place, [...message, kwargs.step])
    : undefined;
}
