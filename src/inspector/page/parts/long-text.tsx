import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ValuePlace } from "../../api/places.js";
import type { ValueNode, ValuePath } from "../../api/value-node.js";
import { read } from "../server/call-server.js";
import { CopyButton } from "./copy-button.js";
import { Failure } from "./read-state.js";
import { formatCount } from "./number-texts.js";
import "./long-text.css";

interface LongTextProps {
  readonly place: ValuePlace;
  /** Where the text is. */
  readonly path: ValuePath;
  /** Whether a button copies the text. */
  readonly canCopy?: boolean;
  /** Shows the text in another way than as it is. */
  readonly render?: ((text: string) => ComponentChildren) | undefined;
  readonly value: Pick<ValueNode, "type" | "text" | "isCut"> & Partial<Pick<ValueNode, "size">>;
}

/** Shows a text with its line breaks. A button reads what is cut, a part at a time. */
export function LongText({ place, path, value, canCopy = false, render }: LongTextProps) {
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
      {render === undefined ? (
        <pre class="long-text">
          <bdi>{text}</bdi>
          {(isCut || (value.isCut && value.type === "bytes")) && "…"}
        </pre>
      ) : (
        render(text)
      )}
      {error !== undefined && <Failure error={error} />}
      <p class="long-text-actions">
        {isCut && (
          <button type="button" onClick={() => void more()}>
            Show the rest
            {value.size !== undefined && ` (${formatCount(value.size - text.length)} characters)`}
          </button>
        )}
        {canCopy && (
          <CopyButton text={async () => (isCut ? text + (await readText(place, path, text.length)) : text)}>
            Copy value
          </CopyButton>
        )}
      </p>
    </>
  );
}

/** Reads a text in parts, from a position to its end. */
async function readText(place: ValuePlace, path: ValuePath, from: number): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | undefined = from; offset !== undefined;) {
    const { text, next }: { readonly text: string; readonly next?: number } = await read("text", {
      ...{ place, path, offset },
    });
    parts.push(text);
    offset = next;
  }
  return parts.join("");
}
