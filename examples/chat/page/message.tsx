import type { Message } from "@langchain/langgraph-sdk";
import { useState } from "react";

/** A message that a person has changed is on several branches of its conversation. */
export interface Versions {
  readonly branch: string;
  readonly branches: readonly string[];
}

interface Props {
  readonly message: Message;
  readonly versions: Versions | undefined;
  readonly onShow: (branch: string) => void;
  /** Sends another text in place of this message. Undefined where that is not possible. */
  readonly onEdit: ((text: string) => void) | undefined;
}

/** One message: what a person has said, what the assistant has said and called, or what a tool has returned. */
export function MessageView({ message, versions, onShow, onEdit }: Props) {
  const [isEdited, setEdited] = useState(false);
  const text = textOf(message);
  if (message.type === "tool") return <p className="tool">← {text}</p>;
  if (message.type === "ai") {
    return (
      <article className="ai" aria-label="Assistant">
        {text !== "" && <p>{text}</p>}
        {message.tool_calls?.map(({ id, name, args }) => (
          <p key={id} className="tool">
            → {name} {JSON.stringify(args)}
          </p>
        ))}
      </article>
    );
  }
  if (isEdited && onEdit !== undefined) {
    const close = (): void => {
      setEdited(false);
    };
    return <EditForm text={text} onClose={close} onEdit={onEdit} />;
  }
  return (
    <article className="human" aria-label="You">
      <p>{text}</p>
      <footer>
        {versions !== undefined && <VersionSwitch versions={versions} onShow={onShow} />}
        {onEdit !== undefined && (
          <button
            onClick={() => {
              setEdited(true);
            }}
          >
            Edit
          </button>
        )}
      </footer>
    </article>
  );
}

function VersionSwitch({
  versions: { branch, branches },
  onShow,
}: Pick<Props, "onShow"> & { versions: Versions }) {
  const at = branches.indexOf(branch);
  const step = (label: string, to: number, sign: string) => (
    <button
      aria-label={label}
      disabled={branches[to] === undefined}
      onClick={() => {
        onShow(branches[to] ?? branch);
      }}
    >
      {sign}
    </button>
  );
  return (
    <span>
      {step("Earlier version", at - 1, "‹")} {at + 1} of {branches.length}{" "}
      {step("Later version", at + 1, "›")}
    </span>
  );
}

function EditForm({
  text,
  onClose,
  onEdit,
}: {
  text: string;
  onClose: () => void;
  onEdit: (text: string) => void;
}) {
  const [edited, setEdited] = useState(text);
  return (
    <form
      className="human"
      onSubmit={(event) => {
        event.preventDefault();
        onClose();
        onEdit(edited.trim());
      }}
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
    >
      <textarea
        aria-label="Changed message"
        autoFocus
        rows={3}
        value={edited}
        onChange={(event) => {
          setEdited(event.target.value);
        }}
      />
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button disabled={edited.trim() === ""}>Send again</button>
    </form>
  );
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
