import { useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValueNode, ValuePath } from "../../../api/value-node.js";
import { read } from "../../server/call-server.js";
import { CopyButton } from "../copy-button.js";
import { Failure } from "../failure.js";
import { formatCount } from "../numbers.js";
import { readText } from "./read-text.js";
import "./long-text.css";

interface LongTextProps {
  readonly place: ValuePlace;
  readonly path: ValuePath;
  /** Whether a button copies the text. */
  readonly canCopy?: boolean;
  readonly value: Pick<ValueNode, "type" | "text" | "isCut"> & Partial<Pick<ValueNode, "size">>;
}

/** Shows a text with its line breaks. A button reads what is cut, a part at a time. */
export function LongText({ place, path, value, canCopy = false }: LongTextProps) {
  const [text, setText] = useState(value.text);
  const [isCut, setCut] = useState(value.isCut && value.type === "string");
  const [error, setError] = useState<unknown>();
  const more = async (): Promise<void> => {
    try {
      const part = await read("text", { place, path, offset: text.length });
      setText(text + part.text);
      setCut(part.next !== undefined);
      setError(undefined);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <pre class="long-text">
        <bdi>{text}</bdi>
        {(isCut || (value.isCut && value.type === "bytes")) && "…"}
      </pre>
      {error !== undefined && <Failure error={error} />}
      <p class="long-text-actions">
        {isCut && (
          <button type="button" onClick={() => void more()}>
            Show the rest
            {value.size !== undefined && ` (${formatCount(value.size - text.length)} characters)`}
          </button>
        )}
        {canCopy && (
          <CopyButton text={async () => text + (isCut ? await readText(place, path, text.length) : "")}>
            Copy value
          </CopyButton>
        )}
      </p>
    </>
  );
}
