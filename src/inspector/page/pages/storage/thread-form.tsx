import { useState } from "preact/hooks";

interface ThreadFormProps {
  readonly threadId: string;
  /** Called with `""` for all threads. */
  readonly onChoose: (threadId: string) => void;
}

/** Asks which thread to measure. */
export function ThreadForm({ threadId, onChoose }: ThreadFormProps) {
  const [text, setText] = useState(threadId);
  return (
    <form
      class="buttons"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(text.trim());
      }}
    >
      <label>
        <span class="dim">Thread id</span>{" "}
        <input
          type="search"
          placeholder="all threads"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
          }}
        />
      </label>
      <button>Show</button>
    </form>
  );
}
