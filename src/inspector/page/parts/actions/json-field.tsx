import { useId } from "preact/hooks";

interface JsonFieldProps {
  readonly label: string;
  readonly text: string;
  /** Why the text can't be used. */
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

const MOST_ROWS = 16;

/** Asks for a value as JSON. */
export function JsonField({ label, text, problem, onChange }: JsonFieldProps) {
  const id = useId();
  return (
    <div class="action-field">
      <label for={`${id}-text`}>{label}</label>
      <textarea
        id={`${id}-text`}
        class="mono"
        rows={Math.min(MOST_ROWS, Math.max(2, text.split("\n").length))}
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        value={text}
        onInput={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
      />
      <span id={`${id}-hint`} class="action-problem" role="status">
        <bdi>{problem}</bdi>
      </span>
    </div>
  );
}

/** Returns the object that a text is the JSON of, or why it is not one. */
export function parseObject(
  text: string,
):
  | { readonly value: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { value } : { problem: 'Give an object, such as {"text": "likes tea"}.' };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : ""}` };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
