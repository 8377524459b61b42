import { useState } from "react";

interface Props {
  readonly isRunning: boolean;
  /** Why no message may be sent now. Undefined where it may. */
  readonly closed: string | undefined;
  readonly onSay: (text: string) => void;
  readonly onStop: () => void;
}

/** The field for the next message. Enter sends it, Shift and Enter begin a line. */
export function Composer({ isRunning, closed, onSay, onStop }: Props) {
  const [text, setText] = useState("");
  const canSend = closed === undefined && !isRunning && text.trim() !== "";
  const send = (): void => {
    if (!canSend) return;
    onSay(text.trim());
    setText("");
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        placeholder={closed ?? "Message"}
        rows={2}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isRunning ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button disabled={!canSend}>Send</button>
      )}
    </form>
  );
}
