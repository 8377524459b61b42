import { useState } from "preact/hooks";
import type { ContentPart, MessageView } from "../../../../api/checkpoints.js";
import { LongText } from "../../../parts/long-text/long-text.js";
import { ValueTree } from "../../../parts/value-tree/value-tree.js";
import { findContent } from "./find-content.js";
import { type ShownConversation, valueOf } from "./use-message.js";

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
