import { useState } from "preact/hooks";
import { parseJson } from "../../../parts/json-text.js";

/** Asks for a text, or for JSON. */
export function FreeForm({ onAnswer }: { readonly onAnswer: (value: unknown) => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  return (
    <form
      class="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
    >
      <label class="action-field">
        <span>Your answer</span>
        <textarea
          rows={3}
          value={text}
          aria-invalid={problem !== ""}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setProblem("");
          }}
        />
      </label>
      {problem !== "" && (
        <p class="answer-problem" role="status">
          {problem}
        </p>
      )}
      <div class="action-buttons">
        <button type="submit" class="primary" disabled={text === ""}>
          Send as text
        </button>
        <button
          type="button"
          disabled={text === ""}
          onClick={() => {
            const parsed = parseJson(text);
            if ("problem" in parsed) setProblem(parsed.problem);
            else onAnswer(parsed.value);
          }}
        >
          Send as JSON
        </button>
        <button
          type="button"
          onClick={() => {
            onAnswer(true);
          }}
        >
          Yes (true)
        </button>
        <button
          type="button"
          onClick={() => {
            onAnswer(false);
          }}
        >
          No (false)
        </button>
      </div>
    </form>
  );
}
