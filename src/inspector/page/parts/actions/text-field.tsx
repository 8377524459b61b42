import type { ComponentChildren } from "preact";

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
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
      />
    </label>
  );
}
