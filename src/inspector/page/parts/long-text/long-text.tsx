import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValueNode, ValuePath } from "../../../api/value-node.js";
import { read } from "../../server/call-server.js";
import { CopyButton } from "../copy-button.js";
import { Failure } from "../failure.js";
import { formatCount } from "../number-texts.js";
import "./long-text.css";

interface LongTextProps {
  readonly place: ValuePlace;
  /** Where the text is, or what finds out, once somebody asks for the rest. */
  readonly path: ValuePath | (() => Promise<ValuePath | undefined>);
  /** What to show when the text is at no one path. */
  readonly otherwise?: ComponentChildren;
  /** Whether a button copies the text. */
  readonly canCopy?: boolean;
  readonly value: Pick<ValueNode, "type" | "text" | "isCut"> & Partial<Pick<ValueNode, "size">>;
}

/** Shows a text with its line breaks. A button reads what is cut, a part at a time. */
export function LongText({ place, path, value, canCopy = false, otherwise }: LongTextProps) {
  const [text, setText] = useState(value.text);
  const [isCut, setCut] = useState(value.isCut && value.type === "string");
  const [error, setError] = useState<unknown>();
  const [isNowhere, setNowhere] = useState(false);
  const more = async (): Promise<void> => {
    try {
      const found = await pathOf(path);
      if (found === undefined) {
        setNowhere(true);
        setCut(false);
        return;
      }
      const part = await read("text", { place, path: found, offset: text.length });
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
      {isNowhere && otherwise}
      {error !== undefined && <Failure error={error} />}
      <p class="long-text-actions">
        {isCut && (
          <button type="button" onClick={() => void more()}>
            Show the rest
            {value.size !== undefined && ` (${formatCount(value.size - text.length)} characters)`}
          </button>
        )}
        {canCopy && (
          <CopyButton
            text={async () => {
              const found = isCut ? await pathOf(path) : undefined;
              return text + (found === undefined ? "" : await readText(place, found, text.length));
            }}
          >
            Copy value
          </CopyButton>
        )}
      </p>
    </>
  );
}

async function pathOf(path: LongTextProps["path"]): Promise<ValuePath | undefined> {
  return typeof path === "function" ? path() : path;
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
