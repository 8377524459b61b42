import { useId } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { typed } from "../typed-text.js";

const MOST_ROWS = 16;

interface JsonFieldProps {
  readonly label: ComponentChildren;
  readonly text: string;
  /** Why the text can't be used. */
  readonly problem: string | undefined;
  readonly isDisabled?: boolean;
  readonly onChange: (text: string) => void;
}

/** Asks for a value as JSON. */
export function JsonField({ label, text, problem, isDisabled = false, onChange }: JsonFieldProps) {
  const id = useId();
  return (
    <div class="action-field">
      <label for={`${id}-text`}>{label}</label>
      <textarea
        id={`${id}-text`}
        class="mono"
        // The browser sends no form with such a text.
        ref={(field) => field?.setCustomValidity(problem ?? "")}
        rows={Math.min(MOST_ROWS, Math.max(2, text.split("\n").length))}
        spellcheck={false}
        disabled={isDisabled}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        value={text}
        onInput={typed(onChange)}
      />
      <span id={`${id}-hint`} class="action-problem" role="status">
        <bdi>{problem}</bdi>
      </span>
    </div>
  );
}

interface TextFieldProps {
  readonly label: ComponentChildren;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "number";
}

/** A field of an action. */
export function TextField({ label, value, onChange, type = "text" }: TextFieldProps) {
  return (
    <label class="action-field">
      <span>{label}</span>
      <input
        type={type}
        min={type === "number" ? 0 : undefined}
        step={type === "number" ? "any" : undefined}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={typed(onChange)}
      />
    </label>
  );
}
